"""The whole analysis of a user turn: pass it on, rewrite it, or ask the user back."""

from __future__ import annotations

import logging
from dataclasses import fields

from grice.middleware.capabilities.capability import Capability, Loading
from grice.middleware.capabilities.codec import decode, field_of, malformed
from grice.middleware.settings import PipelineSettings
from grice.middleware.turns.analysis import StageFailure, TurnAnalysis
from grice.middleware.turns.pipeline import Pipeline
from grice.models.dialogue import Dialogue
from grice.models.errors import CircuitOpen, GriceError
from grice.models.rewriter.rewriter import load_rewriter

log = logging.getLogger(__name__)


def _load(wanted: Loading) -> Pipeline:
    rewriter = load_rewriter(wanted.pipeline.rewriter_model, runtime=wanted.pipeline.runtime)
    return Pipeline(wanted.loaded["directness"], rewriter, wanted.pipeline)


def _read(row: object, dialogue: Dialogue) -> TurnAnalysis:
    if (echoed := field_of(row, "original")) != dialogue.last.text:
        malformed("original", echoed)
    analysis: TurnAnalysis = decode(TurnAnalysis, row)
    return analysis


def _give_up(dialogue: Dialogue, error: GriceError) -> TurnAnalysis:
    """The turn passes unchanged, and marked."""
    if not isinstance(error, CircuitOpen):  # the breaker has said it
        log.warning("the service failed, the turn passes unchanged: %s", type(error).__name__)
    text, failure = dialogue.last.text, StageFailure("service", type(error).__name__, str(error))
    return TurnAnalysis(text, text, "pass", "failed", failures=(failure,))


TURNS = Capability[Dialogue, TurnAnalysis](
    name="turns",
    result=TurnAnalysis,
    load=_load,
    summary="The whole analysis of user turns",
    operation="analyse_turns",
    title="pipeline",
    tag="conversation",
    needs=("directness",),
    reads=tuple(each.name for each in fields(PipelineSettings)),
    decode=_read,
    give_up=_give_up,
    parts={},
    wire="grice.middleware.service.capabilities.turns",
)
