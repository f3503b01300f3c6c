"""Verifying a rewrite without a menu: the reader of meaning reads the turn against a menu that has the rewrite on it.

Beside the rewrite stand the acts of every menu: yes, no, not yet, courtesy and so on. They are its contrasts. A turn that hesitates
is read as "not yet" and not as a rewrite that agrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.menu import REPLIES
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.protocols import MeaningPredictor
from grice.models.results import Share
from grice.models.schema import MOST_CHARACTERS, BotSchema, IntentSpec

REWRITE = "rewrite"
CONTRARY = {
    "yes": ("no", "no-but", "not-yet"),
    "no": ("yes", "yes-but", "not-yet"),
    "yes-but": ("yes", "no"),
    "no-but": ("yes", "yes-but"),
    "not-yet": ("yes", "no"),
}
"""What a turn that does the one must not become."""
ANSWERS = frozenset((*REPLIES, "answer"))


@dataclass(frozen=True)
class OfferedRewrite:
    """A rewrite to verify: of the last turn of a dialogue, and its text."""

    dialogue: Dialogue
    text: str


@dataclass(frozen=True)
class RewriteVerdict:
    """What the reader says of a rewrite.

    Attributes:
        share: of all that the turn may mean, how much is the rewrite, 0 to 1; where both reply to the bot in the same way, so that
            the turn may be read as either, of all but that.
        does, says: the likeliest act of the turn, and of the rewrite in its place.
    """

    share: Share
    does: str
    says: str

    @property
    def is_contrary(self) -> bool:
        """Whether the rewrite does something else: agrees where the turn declines or hesitates, or only thanks."""
        thanks = self.says == "courtesy" and self.does != "courtesy"
        return thanks or self.says in CONTRARY.get(self.does, ())


class RewriteVerifier:
    """Reads turns against their rewrites."""

    def __init__(self, reader: MeaningPredictor) -> None:
        self.reader = reader

    def predict(self, offered: Sequence[OfferedRewrite]) -> list[RewriteVerdict]:
        """One verdict a rewrite, in order."""
        return [self._verdict(each) for each in offered]

    def _verdict(self, offered: OfferedRewrite) -> RewriteVerdict:
        menu = BotSchema((IntentSpec(REWRITE, offered.text[:MOST_CHARACTERS]),))
        speaker = offered.dialogue.last.speaker
        said = Dialogue((*offered.dialogue.history, Turn(speaker, offered.text)))
        turn, rewrite = self.reader.predict([MeaningQuestion(dialogue, menu) for dialogue in (offered.dialogue, said)])
        own, does, says = _shares(turn).get(REWRITE, 0.0), _act(turn), _act(rewrite)
        other = 1.0 - _shares(turn)[does] if does == says and does in ANSWERS else 1.0
        return RewriteVerdict(min(own / other, 1.0) if other > own else 1.0, does, says)


def _shares(meaning: TurnMeaning) -> dict[str, float]:
    return {each.name: each.share for each in meaning.possible}


def _act(meaning: TurnMeaning) -> str:
    return next((each.name for each in meaning.possible if each.kind == "act"), "")
