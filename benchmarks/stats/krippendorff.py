"""Krippendorff's alpha for nominal data (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", sections A to C)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence


def alpha(units: Iterable[Sequence[Hashable | None]]) -> float | None:
    """How far annotators agree beyond chance: 1 always, 0 no more than chance.

    Args:
        units: what the annotators say of each unit, in any order; None where one says nothing. Annotators need not be the same for
            all units. A unit with fewer than two values pairs with nothing and does not count.

    Returns:
        None where it is undefined: no unit counts, or only one value occurs.
    """
    counts = [Counter(value for value in unit if value is not None) for unit in units]
    pairable = [each for each in counts if each.total() >= 2]
    values = sum(pairable, Counter[Hashable]())
    total = values.total()
    expected = _disagreeing(values)
    if not expected:
        return None
    observed = sum(_disagreeing(each) / (each.total() - 1) for each in pairable)
    return 1 - (total - 1) * observed / expected


def _disagreeing(counts: Counter[Hashable]) -> int:
    """Ordered pairs of values that differ."""
    return counts.total() ** 2 - sum(count**2 for count in counts.values())
