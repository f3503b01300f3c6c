"""Whether a turn without a menu means what a rewrite of it says: it is read against a menu that has the rewrite on it.

Beside it stand the acts of every menu: yes, no, not yet, courtesy and so on. They are the contrasts. A turn that hesitates is
read as "not yet" and not as a rewrite that agrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.turns.courtesy import is_courtesy
from grice.middleware.turns.wording import is_same
from grice.models.dialogue import Dialogue, Turn
from grice.models.meaning.menu import REPLIES
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.protocols import MeaningPredictor, ReadsAhead
from grice.models.results import Rewrite, Share
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
        does, says: the likeliest act of the turn, and of the rewrite in its place; `says` is None where the rewrite was not read.
            Either its share is too small whatever it says: `share` is then the most that it can be. Or it is large enough whatever
            it says, and there is nothing that it could contradict: `share` is then the least.
    """

    share: Share
    does: str
    says: str | None

    @property
    def is_contrary(self) -> bool:
        """Whether the rewrite does something else: agrees where the turn declines or hesitates, or only thanks."""
        thanks = self.says == "courtesy" and self.does != "courtesy"
        return thanks or self.says in CONTRARY.get(self.does, ())


class RewriteVerifier:
    """Reads turns against their rewrites.

    Args:
        reader: reads meanings.
        needed: the share that a rewrite has to have, 0 to 1: one that cannot have it is not read itself, nor is one that has it
            without, where the turn neither agrees nor declines nor hesitates and the rewrite does not only thank. (Of 97 such
            rewrites of DIRECT's dev part, read nevertheless, none was refused for what it says.) 0: every one is read.
    """

    def __init__(self, reader: MeaningPredictor, needed: float = 0.0) -> None:
        self.reader = reader
        self.needed = needed

    def predict(self, offered: Sequence[OfferedRewrite]) -> list[RewriteVerdict]:
        """One verdict a rewrite, in order. Turns are read first, then those rewrites of which they do not decide alone."""
        menus = [BotSchema((IntentSpec(REWRITE, each.text[:MOST_CHARACTERS]),)) for each in offered]
        if len(offered) == 1:
            self.read_ahead([offered[0].dialogue], menus)
        turns = self.reader.predict([MeaningQuestion(each.dialogue, menu) for each, menu in zip(offered, menus, strict=True)])
        open_still = [place for place, turn in enumerate(turns) if self._is_open(turn, offered[place].text)]
        in_place = [MeaningQuestion(_in_place(offered[place]), menus[place]) for place in open_still]
        said = {place: _act(each) for place, each in zip(open_still, self.reader.predict(in_place), strict=True)}
        return [self._verdict(turn, said.get(place)) for place, turn in enumerate(turns)]

    def support(self, rewrites: Sequence[tuple[Dialogue, Rewrite]]) -> list[tuple[Rewrite, Share | None]]:
        """Each rewrite of the last turn of a dialogue, with its share; None where it is not supported.

        It has less than it needs, or does the contrary, or says nothing. The turn as it was is not read: its share is 0.
        """
        shares: dict[int, Share | None] = {}
        for place, (dialogue, each) in enumerate(rewrites):
            if is_same(each.text, dialogue.last.text):
                shares[place] = 0.0
            elif is_same(each.text, ""):
                shares[place] = None
        unread = [place for place in range(len(rewrites)) if place not in shares]
        offered = [OfferedRewrite(rewrites[place][0], rewrites[place][1].text) for place in unread]
        for place, verdict in zip(unread, self.predict(offered), strict=True):
            shares[place] = None if verdict.is_contrary or verdict.share < self.needed else verdict.share
        return [(each, shares[place]) for place, (_, each) in enumerate(rewrites)]

    def _is_open(self, turn: TurnMeaning, rewrite: str) -> bool:
        """Whether it depends on the rewrite as it is read in the turn's place what comes of it."""
        if self._is_enough(turn):
            return _act(turn) in CONTRARY or is_courtesy(rewrite)
        return _share(turn, _act(turn)) >= self.needed

    def _is_enough(self, turn: TurnMeaning) -> bool:
        """Whether the rewrite has the share that it needs whatever it is read as."""
        return 0 < self.needed <= _share(turn, None)

    def _verdict(self, turn: TurnMeaning, says: str | None) -> RewriteVerdict:
        does = _act(turn)
        unread = None if self._is_enough(turn) else does
        return RewriteVerdict(_share(turn, unread if says is None else says), does, says)

    def read_ahead(self, dialogues: Sequence[Dialogue], menus: Sequence[BotSchema] = ()) -> None:
        """Read turns while there is nothing else to do; not all readers can."""
        if isinstance(self.reader, ReadsAhead):
            self.reader.read_ahead(dialogues, menus)


def _in_place(offered: OfferedRewrite) -> Dialogue:
    """The dialogue with the rewrite as its last turn."""
    return Dialogue((*offered.dialogue.history, Turn(offered.dialogue.last.speaker, offered.text)))


def _share(turn: TurnMeaning, says: str | None) -> float:
    """The rewrite's, if it is read as `says` (None: as something else than the turn does); it is largest where both are alike."""
    shares, does = {each.name: each.share for each in turn.possible}, _act(turn)
    own = shares.get(REWRITE, 0.0)
    other = 1.0 - shares[does] if does == says and does in ANSWERS else 1.0
    return min(own / other, 1.0) if other > own else 1.0


def _act(meaning: TurnMeaning) -> str:
    return next((each.name for each in meaning.possible if each.kind == "act"), "")
