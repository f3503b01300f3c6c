"""The test of difference against published and independent values."""

from __future__ import annotations

import pytest
from scipy.stats import fisher_exact

from grice.middleware.rates import Rate, compare_rates
from grice.middleware.rates.comparison import two_sided_probability


@pytest.mark.parametrize(
    ("shown", "scored", "other", "scored_other"), [(1, 9, 11, 14), (0, 5, 0, 7), (30, 400, 55, 390), (3, 3, 0, 4)]
)
def test_the_probability_is_that_of_scipy(shown: int, scored: int, other: int, scored_other: int) -> None:
    expected = fisher_exact([[shown, scored - shown], [other, scored_other - other]]).pvalue
    assert two_sided_probability(shown, scored, other, scored_other) == pytest.approx(expected, rel=1e-6)


def test_the_interval_is_newcombes() -> None:
    """56 of 70 less 48 of 80: 0.0524 to 0.3339 (Newcombe 1998, Table II, method 10, case a)."""
    (found,) = compare_rates([Rate("Red", None, None, 48, 80)], [Rate("Red", None, None, 56, 70)])
    assert found.difference == pytest.approx(0.2)
    assert (found.low, found.high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))


def test_what_was_not_scored_has_no_difference_and_does_not_count_for_holm() -> None:
    first = [Rate("Red", "1", None, 9, 10), Rate("Ign", "1", None, 0, 0), Rate("Emp", "1", None, 5, 10)]
    second = [Rate("Red", "2", None, 1, 10), Rate("Ign", "2", None, 1, 4), Rate("Emp", "2", None, 5, 10)]
    red, ignored, emp = compare_rates(first, second)
    assert (ignored.difference, ignored.p, ignored.p_adjusted) == (None, None, None)
    assert red.p is not None
    assert red.p_adjusted == pytest.approx(2 * red.p)
    assert emp.p_adjusted == pytest.approx(1.0)
