"""Figures of rankings, held against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from grice.benchmarks.stats import ranking
from grice.benchmarks.stats.bootstrap import estimate


def test_auc_is_the_share_of_pairs_in_order() -> None:
    generator = np.random.default_rng(3)
    scores, flags = generator.integers(0, 20, 80), generator.random(80) < 0.4
    pairs = [(one > other) + (one == other) / 2 for one in scores[flags] for other in scores[~flags]]
    measure = ranking.auc(scores, flags)
    assert measure.value == pytest.approx(np.mean(pairs))
    found = estimate(measure, [str(place) for place in range(80)], 0)
    assert found.low is not None
    assert found.high is not None
    assert found.low < measure.value < found.high


def test_auc_needs_both_kinds() -> None:
    assert np.isnan(ranking.auc([1.0, 2.0], [True, True]).value)


def test_recall_at_false_alarms() -> None:
    scores = [*range(100), 98, 94.5, 40]
    flags = [False] * 100 + [True] * 3
    assert ranking.recall_at(scores, flags, 5).value == pytest.approx(100 / 3)
    assert ranking.recall_at(scores, flags, 10).value == pytest.approx(200 / 3)


def test_pairs_count_within_their_context_alone() -> None:
    scores, flags = [0.9, 0.1, 0.5, 0.5, 0.2], [True, False, True, False, False]
    contexts = ["a", "a", "b", "b", "b"]
    assert ranking.pairs_in_order(scores, flags, contexts).value == pytest.approx(100 * 2.5 / 3)


def test_f1() -> None:
    assert ranking.f1([True, True, False, False], [True, False, True, False]).value == 50
