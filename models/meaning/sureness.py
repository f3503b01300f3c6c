"""How sure a reading is: the numbers that a logistic weighs, of the likeliest meaning and of what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grice.models.meaning.menu import REPLIES, MenuOption
from grice.models.meaning.results import TURN_KINDS
from grice.models.meaning.scores import SMALLEST, MeaningScores
from grice.models.runtime.heads import Floats, softmax

SURE_BY = (
    "share",
    "margin",
    "odds",
    "lead",
    "entropy",
    "cosine",
    "contrast",
    "nearness",
    "is_intent",
    "is_reply",
    "is_none",
    "is_courtesy",
    "menu",
    "neutral",
    "intents",
    *(f"kind_{kind}" for kind in TURN_KINDS),
    "changes",
    "history",
    "length",
    "spoken",
    "score",
)
"""What sureness follows from, beside a bias; `describe_best` says what each is."""

INDIRECT_BY = tuple(f"log_{kind}" for kind in TURN_KINDS)
"""What follows from, beside a bias, whether a turn means what it does not say: logs of how likely it is of each kind."""


@dataclass(frozen=True)
class BestMeaning:
    """The likeliest of a turn's meanings.

    Attributes:
        place: its option's, among those of the scores.
        shares: of all meanings, in their order. order: their places, the likeliest first.
    """

    place: int
    shares: Floats
    order: tuple[int, ...]

    @property
    def share(self) -> float:
        """Of the likeliest."""
        return float(self.shares[self.order[0]])

    @property
    def margin(self) -> float:
        """How far it is ahead of the next."""
        return float(self.shares[self.order[0]] - self.shares[self.order[1]])


def find_best(scores: MeaningScores, temperature: float) -> BestMeaning:
    """The likeliest meaning of a turn."""
    places = scores.meanings
    shares = softmax(scores.meaning[places] / temperature)
    order = tuple(int(place) for place in np.argsort(-shares, kind="stable"))
    return BestMeaning(places[order[0]], shares, order)


def describe_best(scores: MeaningScores, best: BestMeaning) -> list[float]:
    """The numbers of `SURE_BY`.

    Of its share: itself, how far ahead of the next, the odds of what counts as the same (acts that ask a bot for nothing do), the
    log of how many times likelier than the next, and the entropy of all. Of cosines: its own, how far above any other, the mean.
    Then of which group it is, how many intents the menu has (log), what acts that ask for nothing have together, and what intents
    have. Of the turn: how likely it is of each kind, how likely it takes something back, whether there is a history, how long it
    is (log), how likely it speaks of any slot. Last the score itself.
    """
    options = [scores.options[place] for place in scores.meanings]
    cosines = scores.cosines[scores.meanings]
    kinds = np.array([group_of(option) for option in options])
    first, second = best.order[:2]
    neutral, intents = (float(best.shares[np.isin(kinds, group)].sum()) for group in (NEUTRAL, ("intent",)))
    same = neutral if kinds[first] in NEUTRAL else best.share
    slots = [place for place, option in enumerate(scores.options) if option.kind == "slot"]
    return [
        best.share,
        best.margin,
        float(np.log(same + SMALLEST) - np.log(max(1 - same, 0) + SMALLEST)),
        float(np.log((best.share + SMALLEST) / (best.shares[second] + SMALLEST))),
        float(-(best.shares * np.log(best.shares + SMALLEST)).sum()),
        float(cosines[first]),
        float(cosines[first] - np.delete(cosines, first).max()),
        float(cosines.mean()),
        *(float(kinds[first] == group) for group in ("intent", "reply", "none", "courtesy")),
        float(np.log(1 + np.count_nonzero(kinds == "intent"))),
        neutral,
        intents,
        *map(float, softmax(scores.turn_kinds)),
        scores.changes,
        float(scores.pieces.start > 1),
        float(np.log(1 + len(scores.pieces.offsets))),
        max((float(1 - softmax(scores.slot_states[place])[0]) for place in slots), default=0.0),
        float(scores.meaning[best.place]),
    ]


def describe_kind(scores: MeaningScores) -> list[float]:
    """The numbers of `INDIRECT_BY`."""
    return list(map(float, np.log(softmax(scores.turn_kinds) + SMALLEST)))


NEUTRAL = ("answer", "courtesy", "none")
"""Acts that ask a bot for nothing that it could do: which of them is read makes no difference."""


def group_of(option: MenuOption) -> str:
    """Of a meaning: "intent", "reply", or which of `NEUTRAL`."""
    if option.kind == "intent":
        return "intent"
    return "reply" if option.name in REPLIES else option.name
