"""95 % intervals by the percentile bootstrap over dialogues (Efron and Tibshirani 1993, section 13.3).

The turns of one dialogue are alike, so whole dialogues are drawn, not turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from grice.benchmarks.stats.metrics import Array, Measure

RESAMPLES = 1000
PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Estimate:
    """A metric's value over `n` rows with its 95 % interval; None where it is undefined.

    Attributes:
        draws: the metric of every draw of the bootstrap, NaN where it is undefined; None where there is no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    draws: Array | None = field(default=None, compare=False, repr=False)


def estimate(measure: Measure, groups: Sequence[str], seed: int, resamples: int = RESAMPLES) -> Estimate:
    """The value of `measure` and its interval; `groups` says each row's dialogue. Fewer than two dialogues give no interval."""
    n = len(measure.rows)
    if n != len(groups):
        raise ValueError(f"{n} rows, but {len(groups)} groups")
    if n == 0 or np.isnan(measure.value):
        return Estimate(None, None, None, n)
    draws = measure.formula(resampled(measure.rows, groups, seed, resamples))
    if len(set(groups)) < 2 or np.isnan(draws).all():
        return Estimate(measure.value, None, None, n)
    return Estimate(measure.value, *interval_of(draws), n, draws)


def interval_of(draws: Array) -> tuple[float, float]:
    """The 95 % interval of draws, of which those that are NaN do not count."""
    low, high = np.nanpercentile(draws, PERCENTILES)
    return float(low), float(high)


def rows_drawn(groups: Sequence[str], seed: int) -> str:
    """A short hash that two figures have in common where draw k of both is of the same dialogues: they can be paired then."""
    return hashlib.sha256("\n".join([str(seed), str(RESAMPLES), *groups]).encode()).hexdigest()[:16]


def resampled(rows: Array, groups: Sequence[str], seed: int, resamples: int) -> Array:
    """Sums of `rows`, shape (rows, k), over groups drawn with replacement: shape (resamples, k)."""
    names, places = np.unique(np.asarray(groups), return_inverse=True)
    sums = np.zeros((len(names), rows.shape[1]))
    np.add.at(sums, places, rows)
    draws = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    return draws.astype(float) @ sums
