"""Turns whose meaning is known, and what a system says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grice.models.data.user_turns import UserTurnKind
from grice.models.meaning.menu import REPLIES
from grice.models.meaning.results import MeaningQuestion

NamedMeaning = tuple[Literal["intent", "act"], str]
"""Kind and name: ("intent", "renew_loan") of the menu, or ("act", "yes"), which every bot's turns can do."""
NOTHING: NamedMeaning = ("act", "none")
"""None of the menu's intents; nobody knows which act."""


@dataclass(frozen=True)
class MeaningCase:
    """A turn, the menu of its bot, and what it means.

    Attributes:
        group: what the bootstrap draws: a bot, a dialogue or an item. part: what figures are also given by; "": nothing.
        gold: its meaning. An act stands for "none of the menu's intents".
        kind: how it says it; None: nobody knows.
        slots: values that the turn gives, by slot; of all others it says nothing. None: nobody knows.
        option: which of the options that the bot listed it chooses, from 1; None where it chooses none, or nobody knows.
        changed: slots that it speaks of, if it takes something back, else none; None: nobody knows.
    """

    question: MeaningQuestion
    group: str
    gold: NamedMeaning
    kind: UserTurnKind | None = None
    part: str = ""
    slots: Mapping[str, str] | None = field(default=None, compare=False)
    option: int | None = None
    changed: frozenset[str] | None = None

    def is_right(self, best: NamedMeaning | None) -> bool:
        """Whether it is just that intent or reply. Of the other acts each is right for each, and of `NOTHING` all acts are."""
        if self.gold[0] == "intent" or self.gold[1] in REPLIES:
            return best == self.gold
        return best is not None and best[0] == "act" and (self.gold == NOTHING or best[1] not in REPLIES)

    def is_right_intent(self, best: NamedMeaning | None) -> bool:
        """Whether the intent is right; every act says that it is none of the menu's."""
        return best == self.gold if self.gold[0] == "intent" else best is not None and best[0] == "act"


@dataclass(frozen=True)
class MeaningAnswer:
    """What a system says of a turn.

    Attributes:
        best: the likeliest meaning; None: it gave no answer, which counts as wrong.
        told: whether the system is sure enough to say it.
        among_intents: the likeliest of the menu's intents alone; "" where it has none.
        slots: the values that it fills, by slot; None: it fills none of any turn.
        option: which of the bot's options it says is chosen, from 1; None: it says none.
        changed: slots whose earlier value it says is changed; None: it tells of no turn.
    """

    best: NamedMeaning | None
    told: bool
    among_intents: str
    slots: Mapping[str, str] | None = field(default=None, compare=False)
    option: int | None = None
    changed: tuple[str, ...] | None = None

    @property
    def meaning(self) -> NamedMeaning | None:
        """The meaning that it says, an intent or an act; None where it says none."""
        return self.best if self.told else None

    @property
    def intent(self) -> str | None:
        """The intent that it says; None where it says none."""
        return self.best[1] if self.told and self.best is not None and self.best[0] == "intent" else None


MeaningAnswers = Sequence[MeaningAnswer]
"""One a case, in order."""
