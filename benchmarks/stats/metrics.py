"""Metrics as sums over rows, so that one bootstrap serves them all.

Each function turns rows into a `Measure`: numbers for every row, and the formula that makes the metric of their sums. Units:
BLEU 0 to 100; what takes `scale` is a fraction (1) or a percentage (100).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A metric over rows.

    Attributes:
        rows: shape (rows, k), what each row adds to the k sums.
        formula: sums of shape (samples, k) to values of shape (samples,); NaN where the metric is undefined.
    """

    rows: Array
    formula: Callable[[Array], Array]

    @property
    def value(self) -> float:
        """The metric over all rows."""
        return float(self.formula(self.rows.sum(0, keepdims=True))[0])


def bleu(hypotheses: Sequence[str], references: Sequence[str], lowercase: bool) -> Measure:
    """Corpus BLEU of sacrebleu (Post 2018), 0 to 100; `bleu_signature` says its settings."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(lowercase=lowercase, effective_order=True)  # of one segment only the counts are used
    scores = [metric.sentence_score(said, [wanted]) for said, wanted in zip(hypotheses, references, strict=True)]
    rows = np.array([[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores], float)

    def formula(sums: Array) -> Array:
        return np.array([_corpus_bleu(row) for row in np.rint(sums).astype(int).tolist()])

    return Measure(rows.reshape(-1, 10), formula)


def _corpus_bleu(sums: list[int]) -> float:
    from sacrebleu.metrics.bleu import BLEU

    return float(BLEU.compute_bleu(sums[2:6], sums[6:10], sums[0], sums[1], smooth_method="exp").score)


def bleu_signature(lowercase: bool) -> str:
    """sacrebleu's signature of `bleu`: with it anyone can compute the same figure."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(lowercase=lowercase)
    metric.corpus_score(["a"], [["a"]])  # the signature names the number of references, known only after a score
    return str(metric.get_signature())


def perplexity(scores: Sequence[tuple[float, int]]) -> Measure:
    """Perplexity per token from the summed natural log-probability and the token count of every row."""
    return Measure(np.array(scores, float).reshape(-1, 2), lambda sums: np.exp(-divided(sums[:, 0], sums[:, 1])))


def mean(values: ArrayLike, scale: float = 1.0) -> Measure:
    """The mean of one number a row, or with flags the share of rows, times `scale`."""
    column = np.asarray(values, float)
    rows = np.stack([column, np.ones_like(column)], axis=1)
    return Measure(rows, lambda sums: scale * divided(sums[:, 0], sums[:, 1]))


def exact_ranking(scores: ArrayLike) -> Measure:
    """Share of rankings that match the gold one exactly (DIRECT paper, section 4.3), 0 to 1.

    Args:
        scores: shape (rows, items), the items of each row in gold order, highest first. A tie is no match.
    """
    table = np.asarray(scores, float)
    return mean((table[:, :-1] > table[:, 1:]).all(axis=1))


def kendall_tau(scores: ArrayLike) -> Measure:
    """Mean of Kendall's tau-b between predicted and gold ranking (DIRECT paper, section 4.3), -1 to 1.

    Args:
        scores: as in `exact_ranking`. A row whose scores are all the same ranks nothing and counts as 0.
    """
    table = np.asarray(scores, float)
    left, right = np.triu_indices(table.shape[1], 1)
    signs = np.sign(table[:, left] - table[:, right])
    untied = np.abs(signs).sum(1)
    return mean(np.divide(signs.sum(1), np.sqrt(untied * len(left)), out=np.zeros(len(table)), where=untied > 0))


def micro_f1(gold: Sequence[AbstractSet[str]], predicted: Sequence[AbstractSet[str]], scale: float = 1.0) -> Measure:
    """Micro-averaged F1 over the labels of all rows, 0 to `scale`."""
    return Measure(_label_counts(gold, predicted), lambda sums: scale * _f1(sums))


def micro_f1_change(
    gold: Sequence[AbstractSet[str]],
    before: Sequence[AbstractSet[str]],
    after: Sequence[AbstractSet[str]],
    scale: float = 1.0,
) -> Measure:
    """Micro-F1 of `after` minus that of `before`, on the same rows: paired, so its interval is that of the difference."""
    rows = np.concatenate([_label_counts(gold, before), _label_counts(gold, after)], axis=1)
    return Measure(rows, lambda sums: scale * (_f1(sums[:, 3:]) - _f1(sums[:, :3])))


def gap_recovered(
    gold: Sequence[AbstractSet[str]],
    floor: Sequence[AbstractSet[str]],
    ceiling: Sequence[AbstractSet[str]],
    reached: Sequence[AbstractSet[str]],
    scale: float = 1.0,
) -> Measure:
    """How far `reached` comes from the micro-F1 of `floor` (0) to that of `ceiling` (`scale`), on the same rows.

    Undefined where `ceiling` is no better than `floor`.
    """
    rows = np.concatenate([_label_counts(gold, read) for read in (floor, ceiling, reached)], axis=1)

    def formula(sums: Array) -> Array:
        low, high, there = (_f1(sums[:, place : place + 3]) for place in (0, 3, 6))
        return scale * divided(there - low, np.where(high > low, high - low, 0.0))

    return Measure(rows, formula)


def macro_f1(gold: Sequence[str], predicted: Sequence[str], labels: Sequence[str]) -> Measure:
    """The mean of the F1 of `labels`, one a row, 0 to 100; those that are neither right nor predicted anywhere do not count.

    Undefined where none counts.
    """

    def formula(sums: Array) -> Array:
        right, given = np.split(sums, 2, axis=1)
        f1 = divided(2 * right, given)
        return 100 * divided(np.nansum(f1, axis=1), (~np.isnan(f1)).sum(axis=1))

    said, truth = (np.array([[label == each for label in labels] for each in column], float) for column in (predicted, gold))
    rows = np.concatenate([said * truth, said + truth], axis=1) if len(gold) else np.zeros((0, 2 * len(labels)))
    return Measure(rows, formula)


def _label_counts(gold: Sequence[AbstractSet[str]], predicted: Sequence[AbstractSet[str]]) -> Array:
    counts = [(len(said & right), len(said), len(right)) for right, said in zip(gold, predicted, strict=True)]
    return np.array(counts, float).reshape(-1, 3)


def _f1(sums: Array) -> Array:
    return 2 * divided(sums[:, 0], sums[:, 1] + sums[:, 2])


def calibration_error(scores: ArrayLike, outcomes: ArrayLike, bins: int = 10) -> Measure:
    """Expected calibration error over `bins` equal bins (Naeini et al. 2015; Guo et al. 2017, equation 3), 0 to 1.

    Resampling adds noise to every bin, so its bootstrap interval leans upwards.

    Args:
        scores: shape (rows, items), each in 0 to 1: the probability that the outcome is 1.
        outcomes: the same shape, 0 or 1.
    """
    table, truth = np.asarray(scores, float), np.asarray(outcomes, float)
    places = bin_of(table, bins)
    gaps = np.stack([((table - truth) * (places == place)).sum(1) for place in range(bins)], axis=1)
    rows = np.concatenate([gaps, np.full((len(table), 1), table.shape[1])], axis=1)
    return Measure(rows, lambda sums: divided(np.abs(sums[:, :-1]).sum(1), sums[:, -1]))


def bin_of(scores: ArrayLike, bins: int) -> NDArray[np.int64]:
    """The bin, 0 to bins - 1, of scores in 0 to 1."""
    return np.minimum((np.asarray(scores, float) * bins).astype(np.int64), bins - 1)


def divided(above: Any, below: Any) -> Array:
    """The quotient, NaN where it is undefined."""
    quotient: Array = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=np.asarray(below) != 0)
    return quotient


def pearson(left: ArrayLike, right: ArrayLike) -> Measure:
    """Pearson's correlation of two numbers a row, -1 to 1; undefined where one of them is the same in all rows."""
    one, other = (column - column[:1] for column in (np.asarray(left, float), np.asarray(right, float)))  # same numbers become 0
    rows = np.stack([np.ones_like(one), one, other, one * one, other * other, one * other], axis=1)

    def formula(sums: Array) -> Array:
        n, x, y, xx, yy, xy = sums.T
        spread = np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0)
        return divided(n * xy - x * y, np.sqrt(spread))

    return Measure(rows, formula)


def accuracy_ratio(right: ArrayLike, other_right: ArrayLike) -> Measure:
    """How many times the accuracy of another system one system has, on the same rows: paired, so its interval is that of the ratio.

    Args:
        right, other_right: for each row whether that system is right.
    """
    rows = np.stack([np.asarray(right, float), np.asarray(other_right, float)], axis=1)
    return Measure(rows, lambda sums: divided(sums[:, 0], sums[:, 1]))
