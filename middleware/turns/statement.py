"""What a rewrite is to say of a turn: its likeliest meaning, and those values that leave all of it likely enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grice.models.meaning.results import SlotMeaning, TurnMeaning
from grice.models.results import Share
from grice.models.text.verbatim import words

TRUTH = frozenset(("true", "false"))
SAFER = ("answer", "yes-but", "no-but")
"""Acts that are right more often than their likelihood says, on the hands that it is fitted on."""
SAFER_BY = 0.1
"""They need so much less of it."""


@dataclass(frozen=True)
class Statement:
    """What is to be said.

    Attributes:
        text: the turn. meaning: all that was read of it.
        kind, name: of its likeliest meaning, sure or not.
        slots: what is said of slots, in the menu's order.
        likelihood: how likely all of it is right, 0 to 1. least: how likely it has to be.
    """

    text: str
    meaning: TurnMeaning
    kind: Literal["intent", "act"]
    name: str
    slots: tuple[SlotMeaning, ...]
    likelihood: Share
    least: float

    @property
    def is_likely(self) -> bool:
        """Whether it may be told."""
        return self.likelihood >= self.least

    @property
    def answers(self) -> bool:
        """Whether it is its values alone."""
        return (self.kind, self.name) == ("act", "answer")


def state(meaning: TurnMeaning, text: str, least: float) -> Statement:
    """What is to be said of a turn.

    Values are put in by how sure they are, as long as all stays likely enough. Of a bare answer one all of whose words the turn has
    is left out: an indirect answer only mentions it ("my twin is XS, I am one up from that"), a direct one needs no rewrite.

    Args:
        text: of the turn. least: how likely all that is said has to be right, 0 to 1; `SAFER` acts `SAFER_BY` less.
    """
    best, likelihood = meaning.possible[0], meaning.confidence
    answers = (best.kind, best.name) == ("act", "answer")
    least -= SAFER_BY if best.kind == "act" and best.name in SAFER else 0.0
    chosen, said = [], set(words(text))
    for slot in sorted(filter(_can_be_said, meaning.slots), key=lambda slot: -slot.confidence):
        mentioned = answers and any(said.issuperset(words(value)) for value in slot.values)
        if not mentioned and likelihood * slot.confidence >= least:
            chosen.append(slot)
            likelihood *= slot.confidence
    return Statement(
        text, meaning, best.kind, best.name, tuple(slot for slot in meaning.slots if slot in chosen), likelihood, least
    )


def _can_be_said(slot: SlotMeaning) -> bool:
    """Not of one that is ambiguous; of one that is true or false the intent says it, such as a yes."""
    return slot.said != "ambiguous" and not TRUTH.issuperset(slot.values or ("",))
