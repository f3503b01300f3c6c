"""The whole analysis of a user turn: pass it on, rewrite it, or ask the user back."""

from __future__ import annotations

import logging
from dataclasses import fields

from grice.middleware.capabilities.capability import Capability, Loading, encode_dialogue
from grice.middleware.capabilities.codec import decode, field_of, malformed
from grice.middleware.capabilities.meaning import encode_question
from grice.middleware.settings import PipelineSettings
from grice.middleware.turns.analysis import StageFailure, TurnAnalysis
from grice.middleware.turns.pipeline import Pipeline
from grice.models.dialogue import Dialogue
from grice.models.errors import CircuitOpen, GriceError
from grice.models.meaning.reader import MeaningReader, load_meaning_reader
from grice.models.meaning.results import MeaningQuestion
from grice.models.rewriter.rewriter import load_rewriter

log = logging.getLogger(__name__)


def _load(wanted: Loading) -> Pipeline:
    rewriter = load_rewriter(wanted.pipeline.rewriter_model, runtime=wanted.pipeline.runtime)
    meaning = wanted.loaded.get("meaning")
    reader = meaning.reader if meaning else _reader(wanted) if wanted.pipeline.verified_from else None
    return Pipeline(wanted.loaded["directness"], rewriter, wanted.pipeline, reader=reader)


def _reader(wanted: Loading) -> MeaningReader:
    return load_meaning_reader(wanted.pipeline.meaning_model, runtime=wanted.pipeline.runtime)


def _encode(asked: Dialogue | MeaningQuestion) -> dict[str, object]:
    return encode_question(asked) if isinstance(asked, MeaningQuestion) else encode_dialogue(asked)


def _dialogue(asked: Dialogue | MeaningQuestion) -> Dialogue:
    return asked.dialogue if isinstance(asked, MeaningQuestion) else asked


def _read(row: object, asked: Dialogue | MeaningQuestion) -> TurnAnalysis:
    if (echoed := field_of(row, "original")) != _dialogue(asked).last.text:
        malformed("original", echoed)
    analysis: TurnAnalysis = decode(TurnAnalysis, row)
    return analysis


def _give_up(asked: Dialogue | MeaningQuestion, error: GriceError) -> TurnAnalysis:
    """The turn passes unchanged, and marked."""
    if not isinstance(error, CircuitOpen):  # the breaker has said it
        log.warning("the service failed, the turn passes unchanged: %s", type(error).__name__)
    text, failure = _dialogue(asked).last.text, StageFailure("service", type(error).__name__, str(error))
    return TurnAnalysis(text, text, "pass", "failed", failures=(failure,))


TURNS = Capability[Dialogue | MeaningQuestion, TurnAnalysis](
    name="turns",
    result=TurnAnalysis,
    load=_load,
    summary="The whole analysis of user turns",
    operation="analyse_turns",
    title="pipeline",
    tag="conversation",
    needs=("directness",),
    reads=tuple(each.name for each in fields(PipelineSettings)),
    asks=(Dialogue, MeaningQuestion),
    encode=_encode,
    decode=_read,
    give_up=_give_up,
    parts={},
    wire="grice.middleware.service.capabilities.turns",
)
