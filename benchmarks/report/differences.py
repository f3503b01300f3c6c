"""Differences between runs of one benchmark, in pairs: draw k of the bootstrap is of the same dialogues in both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from grice.benchmarks.core.results import Report, Result, draws_key
from grice.benchmarks.report.shown import Difference
from grice.benchmarks.stats.bootstrap import interval_of


def differences(reports: Mapping[str, Report]) -> tuple[Difference, ...]:
    """Of every run from the first of the same benchmark, for each figure that both have."""
    found: list[Difference] = []
    first: dict[str, str] = {}
    for label, report in reports.items():
        benchmark = report.run.benchmark
        if benchmark in first:
            found += _between((first[benchmark], reports[first[benchmark]]), (label, report))
        else:
            first[benchmark] = label
    return tuple(found)


def _between(one: tuple[str, Report], other: tuple[str, Report]) -> Iterator[Difference]:
    (first, before), (label, after) = one, other
    known = {draws_key(each): each for each in before.results}
    for result in after.results:
        base = known.get(draws_key(result))
        if base is None or base.value is None or result.value is None:
            continue
        low, high = _interval(before, after, result)
        figures = (result.value - base.value, low, high, result.n)
        yield Difference(result.benchmark, result.task, result.system, result.metric, first, label, *figures)


def _interval(before: Report, after: Report, result: Result) -> tuple[float | None, float | None]:
    """The 95 % interval of the paired difference; None where the two are not over the same rows."""
    key = draws_key(result)
    one, other = before.draws.get(key), after.draws.get(key)
    if one is None or other is None or one.rows != other.rows or before.run.data != after.run.data:
        return None, None
    paired = other.values.astype(float) - one.values.astype(float)
    return (None, None) if np.isnan(paired).all() else interval_of(paired)
