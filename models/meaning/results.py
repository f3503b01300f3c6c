"""What is read of a turn in the light of its history and of what the bot can do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.results import Share
from grice.models.schema import BotSchema

MeaningKind = Literal["intent", "act", "unknown"]
SaidOfSlot = Literal["meant", "not_this", "any", "ambiguous"]
SAID: tuple[SaidOfSlot, ...] = get_args(SaidOfSlot)
TurnKind = Literal["indirect", "direct", "courtesy", "out_of_scope"]
TURN_KINDS: tuple[TurnKind, ...] = get_args(TurnKind)

MOST_POSSIBLE = 10
"""Meanings that are told of one turn."""


@dataclass(frozen=True)
class MeaningQuestion:
    """A turn to read against a menu.

    Attributes:
        dialogue: it ends in the user's turn; the bot's pending turn stands before it.
        schema: what the bot can understand.

    Raises:
        InputError: a part is of another kind.
    """

    dialogue: Dialogue
    schema: BotSchema

    def __post_init__(self) -> None:
        if not isinstance(self.dialogue, Dialogue):
            raise InputError("dialogue", self.dialogue, "a Dialogue object")
        if not isinstance(self.schema, BotSchema):
            raise InputError("schema", self.schema, "a BotSchema object")


@dataclass(frozen=True)
class PossibleMeaning:
    """One thing that a turn may mean.

    Attributes:
        kind: An intent of the menu, or an act: what one can do with any bot's turn, such as `yes`, `not-yet` or `courtesy`.
        name: Of the intent or act.
        share: Of all meanings, 0 to 1.
    """

    kind: Literal["intent", "act"]
    name: str
    share: Share


@dataclass(frozen=True)
class SlotMeaning:
    """What a turn says of a slot.

    Attributes:
        slot: Its name.
        said: "meant", "not_this" (that value is excluded), "any" (the user does not mind), "ambiguous" (one of `values`).
        values: The value meant or excluded, or those between which one cannot tell; of a free-text slot the words of the turn.
        confidence: How likely that is right, 0 to 1, calibrated on bots that were not learnt from. Of a free-text slot it is how
            likely the turn speaks of it.
    """

    slot: str
    said: SaidOfSlot
    values: tuple[str, ...]
    confidence: Share


@dataclass(frozen=True)
class Evidence:
    """Words of the turn that speak for its meaning.

    Attributes:
        start: Where they begin in the turn, in characters.
        end: Where they end.
        text: The words themselves.
        weight: Their part in all the words that are counted, 0 to 1.
    """

    start: int
    end: int
    text: str
    weight: Share


@dataclass(frozen=True)
class TurnMeaning:
    """What a turn means.

    Attributes:
        kind: Of the likeliest meaning; "unknown" where the reader is not sure enough of it.
        meaning: The name of the intent or act; "" where it is unknown.
        confidence: How likely the most likely is right, calibrated on bots that were not learnt from.
        margin: By how much its share is larger than that of the next.
        possible: The likeliest meanings, at most ten, by share, the largest first.
        slots: Those that the turn speaks of; of all others it says nothing.
        changes: How likely the user takes back or changes what was said before.
        indirect: How far the turn is one that means what it does not say, rather than says it or is polite, 0 to 1: few that are
            not reach 0.5.
        option: Which of the options that the bot listed is chosen, from 1, if the turn names it: by its place ("the first one",
            "option B") or by its own words; None elsewhere, also where it is only hinted at.
        evidence: The words that speak for the most likely meaning, the strongest first; function words only where it has no others.
        changed: Names of those `slots` that the turn changes: the user said a value before, or the bot confirmed one, in so many
            words, and the turn says something else, or surely takes something back. Unknown of slots without listed values.
    """

    kind: MeaningKind
    meaning: str
    confidence: Share
    margin: Share
    possible: tuple[PossibleMeaning, ...]
    slots: tuple[SlotMeaning, ...]
    changes: Share
    indirect: Share
    option: int | None
    evidence: tuple[Evidence, ...]
    changed: tuple[str, ...] = field(default_factory=tuple)
