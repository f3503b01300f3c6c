"""What a slot-value resolver says of slots, each by itself: one that fails does not take the others with it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from grice.middleware.telemetry import traced
from grice.middleware.turns.analysis import StageFailure
from grice.models.errors import InputError, ModelError
from grice.models.protocols import SlotPredictor
from grice.models.results import SlotValues
from grice.models.slots.questions import SlotQuestion

MOST_SLOTS = 16
"""That the service is asked about one turn."""

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


class ReportsSlots(Protocol):
    """Reports on slots, in this process or behind the service."""

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotReport]:
        """One report a question, in order. An empty list gives an empty list."""
        ...


class SlotReporter:
    """Asks a resolver, which is known by its protocol only."""

    def __init__(self, resolver: SlotPredictor) -> None:
        self.resolver = resolver

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotReport]:
        """One report a question, in order. A resolver that fails is recorded; the others of the batch are answered.

        Raises:
            InputError: a value is in a script that the resolver does not read.
        """
        with traced("grice.slots", size=len(questions)):
            return self._reports(questions)

    def _reports(self, questions: Sequence[SlotQuestion]) -> list[SlotReport]:
        if not questions:
            return []
        try:
            found = self.resolver.predict(questions)
            if len(found) != len(questions):
                raise ModelError(f"the resolver gave {len(found)} results for {len(questions)} slots")
        except InputError:
            raise
        except Exception as error:  # a model may fail in any way
            if len(questions) > 1:
                return [each for question in questions for each in self._reports([question])]
            log.warning("the slot resolver failed: %s", type(error).__name__)  # its message may quote the turn
            message = f"slot {questions[0].slot}: {error}"
            return [SlotReport(None, (StageFailure("slots", type(error).__name__, message),))]
        return [SlotReport(each) for each in found]
