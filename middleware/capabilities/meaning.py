"""What user turns mean, of all that a bot can understand. A turn that breaks the reader does not take the others with it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.capabilities.capability import Capability, Loading, encode_dialogue
from grice.middleware.capabilities.codec import decode, field_of, malformed
from grice.middleware.runtime.isolation import isolate
from grice.middleware.telemetry import traced
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import check_each
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.protocols import MeaningPredictor

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class MeaningReport:
    """What was read of one turn.

    Attributes:
        found: None where the reader failed: nothing is known of the turn then, which is not the meaning `unknown`.
        failures: why it did.
    """

    found: TurnMeaning | None
    failures: tuple[StageFailure, ...] = ()


class MeaningReporter:
    """Asks a reader of meaning, which is known by its protocol only."""

    def __init__(self, reader: MeaningPredictor) -> None:
        self.reader = reader

    def predict(self, questions: Sequence[MeaningQuestion]) -> list[MeaningReport]:
        """One report a question, in order. A turn on which the reader fails is recorded, the others are read.

        Raises:
            InputError: something else than questions was given.
        """
        check_each(questions, MeaningQuestion, "questions")
        with traced("grice.meaning", size=len(questions)):
            return [_report(outcome) for outcome in isolate(self.reader.predict, questions)]


def _report(outcome: TurnMeaning | Exception) -> MeaningReport:
    if isinstance(outcome, Exception):
        log.warning("the reader of meaning failed: %s", type(outcome).__name__)  # its message may quote the turn
        return MeaningReport(None, (StageFailure("meaning", type(outcome).__name__, str(outcome)),))
    found = outcome
    log.debug("read as %s %r, confidence %.3f, margin %.3f", found.kind, found.meaning, found.confidence, found.margin)
    return MeaningReport(found)


def encode_question(question: MeaningQuestion) -> dict[str, object]:
    """A dialogue and its menu as an item of a request."""
    return {**encode_dialogue(question.dialogue), "schema": question.schema.as_dict()}


def _read(row: object, question: MeaningQuestion) -> MeaningReport:
    told: tuple[StageFailure, ...] = decode(tuple[StageFailure, ...], field_of(row, "failures"), "failures")
    failures = tuple(failure for failure in told if failure.stage == "meaning")
    if failures:
        return MeaningReport(None, failures)
    found: TurnMeaning = decode(TurnMeaning, row)
    intents, slots = {intent.name for intent in question.schema.intents}, {slot.name for slot in question.schema.slots}
    for each in found.possible:
        if each.kind == "intent" and each.name not in intents:
            malformed("possible", each.name)
    if found.kind == "intent" and found.meaning not in intents:
        malformed("meaning", found.meaning)
    for slot in found.slots:
        if slot.slot not in slots:
            malformed("slots", slot.slot)
    for name in found.changed:
        if name not in slots:
            malformed("changed", name)
    return MeaningReport(found)


def _load(wanted: Loading) -> MeaningReporter:
    return MeaningReporter(load_meaning_reader(wanted.model, runtime=wanted.pipeline.runtime))


MEANING = Capability[MeaningQuestion, MeaningReport](
    name="meaning",
    result=MeaningReport,
    load=_load,
    summary="What user turns mean, of all that a bot can understand",
    operation="read_meaning",
    title="reader of meaning",
    model="meaning",
    switch="meaning",
    without="do not read what turns mean",
    asks=MeaningQuestion,
    encode=encode_question,
    decode=_read,
    parts={"meaning": lambda reporter: reporter.reader},
    wire="grice.middleware.service.capabilities.meaning",
)
