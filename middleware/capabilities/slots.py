"""Which values of a bot's slots a user turn means, each slot by itself: one that fails does not take the others with it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grice.middleware.capabilities.capability import Capability, Loading, encode_dialogue
from grice.middleware.capabilities.codec import decode, field_of, malformed
from grice.middleware.telemetry import traced
from grice.middleware.turns.analysis import StageFailure
from grice.models.errors import InputError, ModelError
from grice.models.protocols import SlotPredictor
from grice.models.results import Share, SlotValues
from grice.models.slots.questions import SlotQuestion
from grice.models.slots.resolver import load_slot_resolver

MOST_SLOTS = 16
"""That are asked about one turn at once."""

Questions = tuple[SlotQuestion, ...]
"""What is asked of one dialogue: a question a slot."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SlotReport:
    """What was found of one slot.

    Attributes:
        found: None where the resolver failed: it is not known then whether the slot was mentioned.
        failures: why it did.
    """

    found: SlotValues | None
    failures: tuple[StageFailure, ...] = ()


Reports = tuple[SlotReport, ...]
"""One for each question, in order."""


class SlotReporter:
    """Asks a resolver, which is known by its protocol only."""

    def __init__(self, resolver: SlotPredictor) -> None:
        self.resolver = resolver

    def predict(self, asked: Sequence[Questions]) -> list[Reports]:
        """The reports on each dialogue's questions, in order. A slot on which the resolver fails is recorded, the others answered.

        Raises:
            InputError: a value is in a script that the resolver does not read.
        """
        questions = [question for each in asked for question in each]
        with traced("grice.slots", size=len(questions)):
            reports = iter(self._reports(questions))
        return [tuple(next(reports) for _ in each) for each in asked]

    def _reports(self, questions: Sequence[SlotQuestion]) -> list[SlotReport]:
        if not questions:
            return []
        try:
            found = self.resolver.predict(questions)
            if len(found) != len(questions):
                raise ModelError(f"the resolver gave {len(found)} results for {len(questions)} slots")
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad slot; a model may fail in any way
            if len(questions) > 1:
                return [each for question in questions for each in self._reports([question])]
            log.warning("the slot resolver failed: %s", type(error).__name__)  # its message may quote the turn
            message = f"slot {questions[0].slot}: {error}"
            return [SlotReport(None, (StageFailure("slots", type(error).__name__, message),))]
        return [SlotReport(each) for each in found]


@dataclass(frozen=True)
class WireSlotValues:
    """Which value of a slot a turn means; all but its name is null where the resolver failed.

    Attributes:
        name: Its name.
        value: The value that is meant; null: it is ambiguous, or not mentioned.
        ambiguous: The best values are too close to tell them apart.
        not_mentioned: How likely the turn says nothing of the slot, 0 to 1.
        probabilities: How likely each value is meant, 0 to 1; with `not_mentioned` they add up to 1.
    """

    name: str
    value: str | None
    ambiguous: bool | None
    not_mentioned: float | None
    probabilities: Mapping[str, float] | None

    @classmethod
    def of(cls, slot: str, values: Sequence[str], found: SlotValues | None) -> WireSlotValues:
        """What was found of a slot, as it travels."""
        if found is None:
            return cls(slot, None, None, None, None)
        probabilities = dict(zip(values, found.probabilities, strict=True))
        return cls(slot, found.value, found.ambiguous, found.not_mentioned, probabilities)

    def values(self, question: SlotQuestion) -> SlotValues | None:
        """What was found, as the answer to `question`.

        Raises:
            ServiceError: it is none.
        """
        if self.name != question.slot:
            malformed("name", self.name)
        if self.probabilities is None:
            return None
        if set(self.probabilities) != set(question.values):
            malformed("probabilities", self.probabilities)
        if self.value not in (None, *question.values):
            malformed("value", self.value)
        shares = decode(Mapping[str, Share], self.probabilities)
        not_mentioned = decode(Share, self.not_mentioned, "not_mentioned")
        ambiguous = decode(bool, self.ambiguous, "ambiguous")
        return SlotValues(tuple(shares[value] for value in question.values), not_mentioned, self.value, ambiguous)


def _encode(questions: Questions) -> dict[str, object]:
    slots = [{"name": each.slot, "description": each.description, "values": list(each.values)} for each in questions]
    return {**encode_dialogue(questions[0].dialogue), "slots": slots}


def _read(row: object, questions: Questions) -> Reports:
    slots: tuple[WireSlotValues, ...] = decode(tuple[WireSlotValues, ...], field_of(row, "slots"), "slots")
    if len(slots) != len(questions):
        malformed("slots", slots)
    found = [slot.values(question) for slot, question in zip(slots, questions, strict=True)]
    told: tuple[StageFailure, ...] = decode(tuple[StageFailure, ...], field_of(row, "failures"), "failures")
    failures = [failure for failure in told if failure.stage == "slots"]
    if len(failures) != found.count(None):
        malformed("failures", failures)
    why = iter(failures)
    return tuple(SlotReport(None, (next(why),)) if each is None else SlotReport(each) for each in found)


def _load(wanted: Loading) -> SlotReporter:
    return SlotReporter(load_slot_resolver(wanted.model, runtime=wanted.pipeline.runtime))


SLOTS = Capability[Questions, Reports](
    name="slots",
    result=SlotReport,
    load=_load,
    summary="Which values of slots user turns mean",
    operation="resolve_slots",
    title="slot resolver",
    model="meaning",
    switch="slots",
    without="do not find the values of slots",
    asks=tuple,
    encode=_encode,
    decode=_read,
    parts={"slots": lambda reporter: reporter.resolver},
    wire="grice.middleware.service.capabilities.slots",
)
