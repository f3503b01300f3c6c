"""What the networks say of a turn, before anything is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from grice.models.meaning.inputs import TurnPieces
from grice.models.meaning.menu import MenuOption
from grice.models.runtime.heads import Floats, softmax


@dataclass(frozen=True)
class KeptMenu:
    """A menu with the vectors of its options, each the mean of those of its texts: (options, width).

    `stand_ins` has by act the intent that stands for it.
    """

    options: tuple[MenuOption, ...]
    vectors: Floats
    stand_ins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class MeaningScores:
    """What the networks say of one turn, before anything is made of it. N options, T pieces.

    Attributes:
        pieces, states: of the turn; states (T, width). options, vectors: those that were read together with it; vectors (N, width).
        cosines: (N,) of the turn and each option. meaning: (N,) scores of options as meanings; those of slots say nothing, and what
            an act has is given to the intent of the menu that stands for it.
        slot_states: (N, 5) scores of slots: silent, then by `SAID`. values: (N,) scores of values.
        starts, ends: (N, T) scores of pieces as a free-text slot's first and last.
        turn_kinds: (4,) by `TURN_KINDS`. changes: how likely the user takes something back.
        chosen: scores of the bot's options; nothing is made of them, `listed_options` reads the turn's
            words. judged: (8,) of Circa's classes.
    """

    pieces: TurnPieces
    states: Floats
    options: tuple[MenuOption, ...]
    vectors: Floats
    cosines: Floats
    meaning: Floats
    slot_states: Floats
    values: Floats
    starts: Floats
    ends: Floats
    turn_kinds: Floats
    changes: float
    chosen: Floats
    judged: Floats

    @property
    def meanings(self) -> list[int]:
        """Places of the options that are meanings."""
        return [place for place, option in enumerate(self.options) if option.kind in ("intent", "act")]

    def values_of(self, slot: int) -> list[int]:
        """Places of the values of the slot at a place."""
        name = self.options[slot].name
        return [place for place, option in enumerate(self.options) if option.kind == "value" and option.name == name]


SMALLEST = 1e-6
SPOKEN_BY = ("odds", "share", "lead", "cosine", "contrast", "slot", "score", "answers")
"""What follows from, beside a bias, how likely a turn speaks of a slot that has values."""


def spoken_by(scores: MeaningScores, slot: int) -> list[float]:
    """The numbers of `SPOKEN_BY` for the slot at a place: the odds of its states, then how far its best value stands out."""
    silent = float(softmax(scores.slot_states[slot])[0])
    values = scores.values_of(slot)
    shares, cosines = np.sort(softmax(scores.values[values]))[::-1], scores.cosines[values]
    return [
        float(np.log(max(1 - silent, SMALLEST) / max(silent, SMALLEST))),
        float(shares[0]),
        float(shares[0] - shares[1]) if len(shares) > 1 else 1.0,
        float(cosines.max()),
        float(cosines.max() - cosines.mean()),
        float(scores.cosines[slot]),
        float(scores.values[values].max()),
        float(scores.pieces.start > 1),
    ]


VALUE_BY = ("spoken", "state", "share", "lead", "cosine", "contrast", "values", "answers")
"""What follows from, beside a bias, how likely what is read of a slot with values is right, state and value."""


def value_by(scores: MeaningScores, slot: int, spoken: float) -> list[float]:
    """The numbers of `VALUE_BY` for the slot at a place, of which the turn speaks with a likelihood of `spoken`."""
    state = softmax(scores.slot_states[slot][1:])
    values = scores.values_of(slot)
    shares, cosines = np.sort(softmax(scores.values[values]))[::-1], np.sort(scores.cosines[values])[::-1]
    second = float(shares[1]) if len(shares) > 1 else SMALLEST
    return [
        spoken,
        float(state.max()),
        float(shares[0]),
        float(np.log((shares[0] + SMALLEST) / (second + SMALLEST))),
        float(cosines[0]),
        float(cosines[0] - cosines[1]) if len(cosines) > 1 else 1.0,
        float(np.log(len(values))),
        float(scores.pieces.start > 1),
    ]
