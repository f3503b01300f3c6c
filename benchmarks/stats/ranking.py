"""How well scores tell two kinds of rows apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from grice.benchmarks.stats.metrics import Array, Measure, divided, mean


def auc(scores: ArrayLike, flags: ArrayLike) -> Measure:
    """The chance that a row with the flag scores above one without, ties half, 0 to 1.

    The interval is that of DeLong's components (DeLong et al. 1988): what each row adds is held against all rows of the other kind.
    """
    values, positive = np.asarray(scores, float), np.asarray(flags, bool)
    above, below = values[positive], values[~positive]
    rows = np.zeros((len(values), 4))
    if len(above) and len(below):
        rows[positive, 0] = [np.mean(below < each) + np.mean(below == each) / 2 for each in above]
        rows[~positive, 2] = [np.mean(above > each) + np.mean(above == each) / 2 for each in below]
    rows[positive, 1], rows[~positive, 3] = 1, 1
    whole = float(rows[positive, 0].mean()) if len(above) and len(below) else np.nan

    def formula(sums: Array) -> Array:
        return divided(sums[:, 0], sums[:, 1]) + divided(sums[:, 2], sums[:, 3]) - whole

    return Measure(rows, formula)


def recall_at(scores: ArrayLike, flags: ArrayLike, false_alarms: float) -> Measure:
    """Percent of the rows with the flag above the score that `false_alarms` of 100 rows without it exceed."""
    values, positive = np.asarray(scores, float), np.asarray(flags, bool)
    if positive.all() or not positive.any():
        return mean([])
    limit = np.quantile(values[~positive], 1 - false_alarms / 100, method="higher")
    found = (values > limit) & positive
    return Measure(np.stack([found, positive], 1).astype(float), lambda sums: 100 * divided(sums[:, 0], sums[:, 1]))


def pairs_in_order(scores: ArrayLike, flags: ArrayLike, contexts: Sequence[str]) -> Measure:
    """Percent of pairs of one context, one with the flag and one without, of which the former scores higher; ties count half."""
    values, positive = np.asarray(scores, float), np.asarray(flags, bool)
    rows = np.zeros((len(values), 2))
    places: dict[str, list[int]] = {}
    for place, context in enumerate(contexts):
        places.setdefault(context, []).append(place)
    for place in np.flatnonzero(positive).tolist():
        others = values[[each for each in places[contexts[place]] if not positive[each]]]
        rows[place] = np.sum(values[place] > others) + np.sum(values[place] == others) / 2, len(others)
    return Measure(rows, lambda sums: 100 * divided(sums[:, 0], sums[:, 1]))


def f1(said: ArrayLike, flags: ArrayLike) -> Measure:
    """F1 of the rows with the flag, 0 to 100."""
    given, positive = np.asarray(said, bool), np.asarray(flags, bool)
    rows = np.stack([given & positive, given, positive], 1).astype(float)
    return Measure(rows, lambda sums: 200 * divided(sums[:, 0], sums[:, 1] + sums[:, 2]))
