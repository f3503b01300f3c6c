"""Retrieval of flows, tools or answers by a turn's vector, with what the reader of meaning makes of the turn added.

    score = similarity + LIKENESS * likeness + WEIGHT * indirect * log(share / FLOOR)

`similarity` is the caller's own. `likeness` is the cosine by the reader's own encoder, `share` the entry's part of all that the
turn may mean, `indirect` how far the turn is an indirect one: a direct one is found by its words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grice.models.errors import InputError
from grice.models.meaning.results import TURN_KINDS, TurnMeaning
from grice.models.meaning.scores import MeaningScores
from grice.models.runtime.heads import softmax

LIKENESS = 1.0
"""How much of a similarity one unit of the reader's own cosine is worth."""
WEIGHT = 0.2
"""How much of one a unit of log odds is worth; both chosen on material apart from the benchmark's (`docs/retrieval.md`)."""
FLOOR = 1e-3
"""The share of an entry that the reader does not name."""
PRIOR = 0.12
"""As `WEIGHT`, where nothing but the likeliest meanings is known."""


@dataclass(frozen=True)
class CatalogueReading:
    """What the reader of meaning says of a turn and the entries of a catalogue that it read together with it.

    Attributes:
        likenesses: cosines of turn and entry by the reader's own encoder. shares: among these entries, 0 to 1, in sum 1.
        indirect: how far the turn is an indirect one, 0 to 1.
    """

    likenesses: Mapping[str, float]
    shares: Mapping[str, float]
    indirect: float

    @classmethod
    def of(cls, scores: MeaningScores) -> CatalogueReading:
        """What `MeaningReader.score` says with the catalogue as the menu's intents."""
        intents = [place for place, option in enumerate(scores.options) if option.kind == "intent"]
        names = [scores.options[place].name for place in intents]
        shares = softmax(scores.meaning[intents]).tolist() if intents else []
        return cls(
            dict(zip(names, scores.cosines[intents].tolist(), strict=True)),
            dict(zip(names, shares, strict=True)),
            float(softmax(scores.turn_kinds)[TURN_KINDS.index("indirect")]),
        )


def add_reading(
    similarities: Mapping[str, float], reading: CatalogueReading, likeness: float = LIKENESS, weight: float = WEIGHT
) -> dict[str, float]:
    """The likeness of each entry of a catalogue to a turn, with what the reader says of both.

    An entry that was not read together with the turn has the least likeness of those that were.

    Args:
        similarities: by the name of an intent of the menu: cosines of the turn's vector, 1 the most alike.
        likeness, weight: both 0: the order of the similarities.

    Returns:
        Scores by name, the highest first.

    Raises:
        InputError: a weight is negative.
    """
    _check(likeness=likeness, weight=weight)
    least = min(reading.likenesses.values(), default=0.0)
    alike = {name: value + likeness * reading.likenesses.get(name, least) for name, value in similarities.items()}
    return _with_shares(alike, reading.shares, weight * reading.indirect)


def add_prior(similarities: Mapping[str, float], meaning: TurnMeaning, weight: float = PRIOR) -> dict[str, float]:
    """`similarity + weight * log(share / FLOOR)` by the likeliest meanings of a turn alone, as `POST /v1/meaning` tells them.

    An entry that is not among them keeps its similarity, so the order among those is as before.

    Args:
        similarities: as in `add_reading`.
        meaning: of the same turn, read with the catalogue as its menu.
        weight: 0: the order of the similarities.

    Returns:
        Scores by name, the highest first.

    Raises:
        InputError: the weight is negative.
    """
    _check(weight=weight)
    return _with_shares(similarities, {each.name: each.share for each in meaning.possible if each.kind == "intent"}, weight)


def _check(**weights: float) -> None:
    for name, weight in weights.items():
        if weight < 0:
            raise InputError(name, weight, "0 or more")


def _with_shares(similarities: Mapping[str, float], shares: Mapping[str, float], weight: float) -> dict[str, float]:
    scores = {
        name: similarity + weight * math.log(max(shares.get(name, FLOOR), FLOOR) / FLOOR)
        for name, similarity in similarities.items()
    }
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
