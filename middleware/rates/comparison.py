"""Whether two groups of responses, such as two versions of a bot, show behaviours at different rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grice.middleware.rates.rate import Rate


@dataclass(frozen=True)
class RateDifference:
    """The rates of one behaviour in two groups.

    Attributes:
        first, second: the rates.
        difference: share of the second less share of the first, -1 to 1; None where either scored nothing.
        low, high: its 95 % interval (Newcombe 1998, Statistics in Medicine 17, p. 873, method 10, from the two Wilson intervals).
        p: how likely shares at least as far apart are by chance (Fisher's exact test, two-sided), 0 to 1.
        p_adjusted: the same with regard to how many behaviours are compared (Holm 1979).
    """

    first: Rate
    second: Rate
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None


def compare_rates(first: Sequence[Rate], second: Sequence[Rate]) -> list[RateDifference]:
    """The differences of rates of the same behaviours in the same order."""
    pairs = list(zip(first, second, strict=True))
    chances = [_chance(one, other) for one, other in pairs]
    adjusted = _holm(chances)
    return [
        RateDifference(one, other, *_difference(one, other), chance, each)
        for (one, other), chance, each in zip(pairs, chances, adjusted, strict=True)
    ]


def _difference(one: Rate, other: Rate) -> tuple[float | None, float | None, float | None]:
    if one.share is None or other.share is None or one.interval is None or other.interval is None:
        return None, None, None
    difference = other.share - one.share
    below = math.hypot(other.share - other.interval[0], one.interval[1] - one.share)
    above = math.hypot(other.interval[1] - other.share, one.share - one.interval[0])
    return difference, max(-1.0, difference - below), min(1.0, difference + above)


def _chance(one: Rate, other: Rate) -> float | None:
    if not one.scored or not other.scored:
        return None
    return two_sided_probability(one.shown, one.scored, other.shown, other.scored)


SAME = 1e-7
"""Tables whose probabilities differ by no more than this part are as likely as each other."""


def two_sided_probability(shown: int, scored: int, shown_other: int, scored_other: int) -> float:
    """The probability of all tables with the same sums that are no likelier than this one, 0 to 1.

    Fisher's exact test (Fisher 1935, The Design of Experiments, section 21.02), two-sided as R and SciPy have it.
    """
    total = shown + shown_other
    least, most = max(0, total - scored_other), min(scored, total)
    numbers = np.arange(least, most, dtype=float)
    steps = np.log((scored - numbers) * (total - numbers)) - np.log((numbers + 1) * (scored_other - total + numbers + 1))
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return float(min(1.0, shares[shares <= shares[shown - least] * (1 + SAME)].sum()))


def _holm(chances: Sequence[float | None]) -> list[float | None]:
    known = sorted((chance, place) for place, chance in enumerate(chances) if chance is not None)
    found: list[float | None] = [None] * len(chances)
    largest = 0.0
    for rank, (chance, place) in enumerate(known):
        largest = max(largest, min(1.0, chance * (len(known) - rank)))
        found[place] = largest
    return found
