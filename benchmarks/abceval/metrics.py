"""ABC-Eval's metrics (Finch, Paek and Choi 2023, section 6.1): each is the mean of its values against the two annotators.

All are percentages (0 to 100) but `positives`, which is a count. F1+, precision and recall are those of "the response shows the
behaviour"; F1−, `precision_neg` and `recall_neg` those of "it does not".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from grice.benchmarks.stats.mcnemar import Flags
from grice.benchmarks.stats.metrics import Array, Measure, divided

RATES = ("f1_pos", "f1_neg", "accuracy", "precision", "recall", "precision_neg", "recall_neg")
METRICS = (*RATES, "positives")
HUMAN_METRICS = ("f1_pos", "f1_neg", "accuracy", "positives")
"""Precision and recall say nothing of annotators who take turns at being the truth (the paper, appendix C)."""
FLOOR_METRICS = ("f1_pos", "f1_neg", "accuracy", "precision", "recall", "positives")
"""What never says no has no precision of it."""

_SUMS = 7


def measure(metric: str, said: Flags, truth: Flags) -> Measure:
    """One of `METRICS`.

    Args:
        said, truth: shape (responses, 2): what is compared with each annotator, and what the annotator says.
    """
    return Measure(_rows(said, truth), _FORMULAS[metric])


def macro(metric: str, pairs: Sequence[tuple[Flags, Flags]], scored: Sequence[Flags]) -> Measure:
    """The mean of one of `RATES` over behaviours, each over the responses that are scored for it.

    Args:
        pairs: `said` and `truth` of each behaviour, as in `measure`.
        scored: for each behaviour, shape (responses,), which responses count.
    """
    rows = [_rows(said, truth) * kept[:, None] for (said, truth), kept in zip(pairs, scored, strict=True)]

    def formula(sums: Array) -> Array:
        parts = [_FORMULAS[metric](sums[:, start : start + _SUMS]) for start in range(0, sums.shape[1], _SUMS)]
        found: Array = np.mean(parts, axis=0)
        return found

    return Measure(np.concatenate(rows, axis=1), formula)


def _rows(said: Flags, truth: Flags) -> Array:
    """For each response: said yes, true yes and both, each for both annotators, and 1."""
    return np.concatenate([said, truth, said & truth, np.ones((len(said), 1))], axis=1).astype(float)


def _of_both(figure: Callable[[Array, Array, Array, Array], Array], positive: bool) -> Callable[[Array], Array]:
    """A formula that averages `figure(said, true, both, n)`, in %, over the annotators."""

    def formula(sums: Array) -> Array:
        said, true, both, n = sums[:, :2], sums[:, 2:4], sums[:, 4:6], sums[:, 6:]
        if not positive:
            said, true, both = n - said, n - true, n - said - true + both
        found: Array = 100 * figure(said, true, both, n).mean(axis=1)
        return found

    return formula


def _f1(said: Array, true: Array, both: Array, _: Array) -> Array:
    return divided(2 * both, said + true)


def _precision(said: Array, _true: Array, both: Array, _: Array) -> Array:
    return divided(both, said)


def _recall(_said: Array, true: Array, both: Array, _: Array) -> Array:
    return divided(both, true)


def _accuracy(said: Array, true: Array, both: Array, n: Array) -> Array:
    return divided(n - said - true + 2 * both, np.broadcast_to(n, both.shape))


def _positives(sums: Array) -> Array:
    """As the paper counts its two annotators: the mean, less what is after the point."""
    found: Array = np.floor(sums[:, :2].mean(axis=1))
    return found


_FORMULAS: Mapping[str, Callable[[Array], Array]] = {
    "f1_pos": _of_both(_f1, True),
    "f1_neg": _of_both(_f1, False),
    "accuracy": _of_both(_accuracy, True),
    "precision": _of_both(_precision, True),
    "recall": _of_both(_recall, True),
    "precision_neg": _of_both(_precision, False),
    "recall_neg": _of_both(_recall, False),
    "positives": _positives,
}
