"""A bot's own state tracker, and what Grice adds to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grice.models.results import SlotValues
from grice.models.slots.questions import SlotQuestion

UNSURE_BELOW = 0.5
"""A decision that has less than half of the probability is no decision. Not tuned."""


@dataclass(frozen=True)
class Tracked:
    """What a tracker finds.

    Attributes:
        value: None where the turn gives none.
        probability: of this decision, 0 to 1.
    """

    value: str | None
    probability: float


class StateTracker(Protocol):
    """Finds the value of a slot that a turn gives, if any."""

    facts: Mapping[str, Any]
    """How it was made, as JSON values."""

    def predict(self, questions: Sequence[SlotQuestion]) -> Sequence[Tracked]:
        """One decision a question, in order."""
        ...


def filled(tracked: Tracked, resolved: SlotValues) -> str | None:
    """The tracker's value, or the resolver's where the tracker has none or is unsure, and the resolver is not."""
    has_one = tracked.value is not None and tracked.probability >= UNSURE_BELOW
    return tracked.value if has_one or resolved.value is None else resolved.value
