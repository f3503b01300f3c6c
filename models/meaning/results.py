"""What is read of a turn in the light of its history and of what the bot can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grice.models.dialogue import Dialogue
from grice.models.results import Share
from grice.models.schema import BotSchema

MeaningKind = Literal["intent", "act", "unknown"]
SaidOfSlot = Literal["meant", "not_this", "any", "ambiguous"]


@dataclass(frozen=True)
class MeaningQuestion:
    """A turn to read against a menu.

    Attributes:
        dialogue: it ends in the user's turn; the bot's pending turn stands before it.
        schema: what the bot can understand.
    """

    dialogue: Dialogue
    schema: BotSchema


@dataclass(frozen=True)
class PossibleMeaning:
    """One thing that a turn may mean.

    Attributes:
        kind: an intent of the menu, or an act: what one can do with any bot's turn, such as `yes`, `not-yet` or `courtesy`.
        name: of the intent or act. share: of all meanings, 0 to 1.
    """

    kind: Literal["intent", "act"]
    name: str
    share: Share


@dataclass(frozen=True)
class SlotMeaning:
    """What a turn says of a slot.

    Attributes:
        slot: its name.
        said: "meant", "not_this" (that value is excluded), "any" (the user does not mind), "ambiguous" (one of `values`).
        values: the value meant or excluded, or those between which one cannot tell; of a free-text slot the words of the turn.
        confidence: how sure it is, 0 to 1.
    """

    slot: str
    said: SaidOfSlot
    values: tuple[str, ...]
    confidence: Share


@dataclass(frozen=True)
class Evidence:
    """Words of the turn that speak for its meaning: `text` is `turn[start:end]`; `weight` is their part, 0 to 1."""

    start: int
    end: int
    text: str
    weight: Share


@dataclass(frozen=True)
class TurnMeaning:
    """What a turn means.

    Attributes:
        kind, meaning: the most likely, or "unknown" and "" where the reader is not sure enough.
        confidence: how likely the most likely is right, calibrated on bots that were not learnt from.
        margin: by how much its share is larger than that of the next.
        possible: the meanings by share, the largest first.
        slots: those that the turn speaks of; of all others it says nothing.
        changes: how likely the user takes back or changes what was said before.
        option: which of the options that the bot listed is chosen, from 1, if one is; None elsewhere.
        evidence: the words that speak for the most likely meaning, the strongest first.
    """

    kind: MeaningKind
    meaning: str
    confidence: Share
    margin: Share
    possible: tuple[PossibleMeaning, ...]
    slots: tuple[SlotMeaning, ...]
    changes: Share
    option: int | None
    evidence: tuple[Evidence, ...]
