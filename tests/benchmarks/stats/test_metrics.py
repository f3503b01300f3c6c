"""Metrics against published and hand-computed values, and against sacrebleu, scipy and scikit-learn."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import sacrebleu
from scipy import stats
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.bootstrap import estimate, resampled

SAID = [
    "Please book a table for two at Luigi's.",
    "i need a train to the coast.",
    "The the the the the the the",
    "No thanks",
    "find me a quiet place to stay in the old town, please!",
]
WANTED = [
    "Book a table for two at Luigi's, please.",
    "I need a train to the coast on Sunday.",
    "The cat is on the mat.",
    "That will be all",
    "Find me a quiet place in the old town.",
]


@pytest.mark.parametrize("lowercase", [True, False])
def test_bleu_is_sacrebleus(lowercase: bool) -> None:
    expected = sacrebleu.corpus_bleu(SAID, [WANTED], lowercase=lowercase).score
    assert metrics.bleu(SAID, WANTED, lowercase).value == pytest.approx(expected, abs=1e-9)
    assert expected > 20


def test_bleu_without_a_shared_four_gram_is_smoothed_as_in_sacrebleu() -> None:
    said, wanted = ["a b c x y"], ["a b c d e"]
    assert metrics.bleu(said, wanted, True).value == pytest.approx(sacrebleu.corpus_bleu(said, [wanted]).score, abs=1e-9)


def test_bleu_without_a_shared_word_is_zero() -> None:
    assert metrics.bleu(["x y"], ["a b"], True).value == 0.0


def test_bleu_clips_counts_as_in_papineni_2002() -> None:
    # Section 2.1, example 2: of seven "the", two are in the reference.
    row = metrics.bleu(["the the the the the the the"], ["The cat is on the mat."], True).rows[0]
    assert row[2] / row[6] == 2 / 7


def test_bleu_of_a_resample_is_that_of_the_drawn_segments() -> None:
    measure = metrics.bleu(SAID, WANTED, True)
    drawn = [0, 0, 3, 4, 1]
    expected = sacrebleu.corpus_bleu([SAID[place] for place in drawn], [[WANTED[place] for place in drawn]], lowercase=True).score
    assert measure.formula(measure.rows[drawn].sum(0, keepdims=True))[0] == pytest.approx(expected, abs=1e-9)


def test_signatures_say_the_case() -> None:
    assert metrics.bleu_signature(True).startswith("nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:")
    assert "case:mixed" in metrics.bleu_signature(False)


def test_perplexity_of_an_even_choice_is_the_number_of_choices() -> None:
    assert metrics.perplexity([(3 * math.log(1 / 7), 3), (5 * math.log(1 / 7), 5)]).value == pytest.approx(7)


def test_perplexity_is_per_token_not_per_row() -> None:
    assert metrics.perplexity([(-1.0, 1), (-6.0, 6)]).value == pytest.approx(math.e)
    assert metrics.perplexity([(-4.0, 1), (-3.0, 3)]).value == pytest.approx(math.exp(7 / 4))


def test_rankings_by_hand() -> None:
    scores = [[0.9, 0.5, 0.1], [0.9, 0.1, 0.5], [0.1, 0.5, 0.9], [0.9, 0.5, 0.5]]
    assert metrics.exact_ranking(scores).value == 0.25
    taus = metrics.kendall_tau(scores).rows[:, 0]
    assert taus.tolist() == pytest.approx([1, 1 / 3, -1, 2 / math.sqrt(6)])


def test_chance_is_one_ranking_in_six() -> None:
    scores = np.random.default_rng(0).random((20_000, 3))
    assert metrics.exact_ranking(scores).value == pytest.approx(1 / 6, abs=0.01)
    assert metrics.kendall_tau(scores).value == pytest.approx(0, abs=0.02)


def test_kendall_tau_is_scipys() -> None:
    scores = np.random.default_rng(1).integers(0, 4, (300, 3)).astype(float)
    ours = metrics.kendall_tau(scores).rows[:, 0]
    theirs = [stats.kendalltau(row, [2, 1, 0]).statistic for row in scores]
    assert np.isnan(theirs).any()
    np.testing.assert_allclose(ours, np.nan_to_num(theirs), atol=1e-12)


def test_micro_f1_by_hand() -> None:
    gold = [{"a", "b"}, {"c"}, set()]
    said = [{"a"}, {"c", "d"}, {"e"}]
    assert metrics.micro_f1(gold, said, 100).value == pytest.approx(100 * 2 * 2 / (4 + 3))


def test_micro_f1_is_scikit_learns() -> None:
    chance = random.Random(2)
    gold, said = ([frozenset(chance.sample("abcdef", chance.randint(0, 3))) for _ in range(200)] for _ in range(2))
    labels = MultiLabelBinarizer(classes=list("abcdef"))
    expected = f1_score(labels.fit_transform(gold), labels.transform(said), average="micro")
    assert metrics.micro_f1(gold, said).value == pytest.approx(expected)


def test_micro_f1_without_any_label_is_undefined() -> None:
    found = estimate(metrics.micro_f1([set(), set()], [set(), set()]), ["x", "y"], 0)
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 2)


def test_change_of_micro_f1_is_the_difference() -> None:
    gold = [{"a"}, {"b"}, {"c"}]
    before, after = [{"a"}, set(), {"d"}], [{"a"}, {"b"}, {"d"}]
    expected = metrics.micro_f1(gold, after, 100).value - metrics.micro_f1(gold, before, 100).value
    measure = metrics.micro_f1_change(gold, before, after, 100)
    assert measure.value == pytest.approx(expected)
    same = estimate(metrics.micro_f1_change(gold, after, after, 100), ["x", "y", "z"], 0)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_share_of_rows() -> None:
    assert metrics.mean([True, False, False, False], 100).value == 25


def test_calibration_error_by_hand() -> None:
    # Two bins: 0.2 and 0.4 with one hit of two (gap 0.2), 0.9 and 0.7 with two hits of two (gap 0.2).
    assert metrics.calibration_error([[0.2, 0.4], [0.9, 0.7]], [[1, 0], [1, 1]], bins=2).value == pytest.approx(0.2)


def test_calibrated_scores_have_no_calibration_error() -> None:
    scores = np.full((10, 1), 0.3)
    assert metrics.calibration_error(scores, np.arange(10)[:, None] < 3).value == pytest.approx(0)
    assert metrics.calibration_error(scores, np.ones((10, 1))).value == pytest.approx(0.7)


def test_the_highest_score_is_in_the_last_bin() -> None:
    assert metrics.bin_of([0.0, 0.1, 0.99, 1.0], 10).tolist() == [0, 1, 9, 9]


def test_interval_is_that_of_scipys_bootstrap() -> None:
    values = np.random.default_rng(3).exponential(size=120)
    ours = estimate(metrics.mean(values), [str(place) for place in range(120)], 0, resamples=20_000)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(4))
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.01)


def test_turns_of_one_dialogue_are_drawn_together() -> None:
    flags = [1.0, 0.0] * 10
    groups = [str(place) for place in range(20)]
    alone = estimate(metrics.mean(flags), groups, 0)
    copied = estimate(metrics.mean(np.repeat(flags, 50)), np.repeat(groups, 50).tolist(), 0)
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    assert copied.n == 1000


def test_resampled_sums_are_sums_of_whole_groups() -> None:
    rows = np.array([[1.0], [10.0], [100.0]])
    sums = resampled(rows, ["a", "b", "a"], 0, 200)[:, 0]
    assert set(sums.tolist()) == {202.0, 111.0, 20.0}


def test_the_same_seed_gives_the_same_interval() -> None:
    values, groups = np.random.default_rng(5).random(50), [str(place) for place in range(50)]
    first, again, other = (estimate(metrics.mean(values), groups, seed) for seed in (1, 1, 2))
    assert first == again
    assert (first.low, first.high) != (other.low, other.high)


def test_one_dialogue_gives_no_interval_and_none_no_value() -> None:
    single = estimate(metrics.mean([1.0, 0.0]), ["a", "a"], 0)
    assert (single.value, single.low, single.high) == (0.5, None, None)
    assert estimate(metrics.mean([]), [], 0).value is None
    assert estimate(metrics.bleu([], [], True), [], 0).value is None


def test_groups_must_fit_the_rows() -> None:
    with pytest.raises(ValueError, match="2 rows, but 1 groups"):
        estimate(metrics.mean([1.0, 0.0]), ["a"], 0)


def test_the_gap_that_is_recovered() -> None:
    gold = [frozenset("a"), frozenset("b"), frozenset("c"), frozenset("d")]
    floor = [frozenset("a"), frozenset("x"), frozenset("x"), frozenset("x")]
    ceiling = [frozenset("a"), frozenset("b"), frozenset("c"), frozenset("x")]
    reached = [frozenset("a"), frozenset("b"), frozenset("x"), frozenset("x")]
    assert metrics.gap_recovered(gold, floor, ceiling, reached, 100).value == pytest.approx(50)
    assert metrics.gap_recovered(gold, floor, ceiling, gold, 100).value == pytest.approx(150)
    assert math.isnan(metrics.gap_recovered(gold, ceiling, floor, reached).value)
