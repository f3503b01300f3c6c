"""Taking times fairly: the same calls for every system, in turns, several rounds, after a warm-up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from tqdm import tqdm

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.stats.metrics import Array, Measure

Item = TypeVar("Item")

WARM_UP = 4
BLOCK = 8
"""Calls a system makes before it is the next one's turn: long enough to have its weights in the cache, short enough that a
change of the machine's speed meets all systems."""


def interleaved(
    systems: Mapping[str, Callable[[Item], object]],
    items: Sequence[Item],
    rounds: int,
    label: str,
    before: Mapping[str, Callable[[Item], object]] | None = None,
) -> dict[str, Array]:
    """Seconds of every call, by system: shape (rounds, items).

    Args:
        before: for systems that need it, what is called with the item before each call, outside the measured time.
    """
    ready = {name: (before or {}).get(name, _nothing) for name in systems}
    times = {name: np.zeros((rounds, len(items))) for name in systems}
    for name, call in systems.items():
        for item in items[:WARM_UP]:
            ready[name](item)
            call(item)
    with tqdm(total=rounds * len(items) * len(systems), desc=label, unit="call", disable=None) as bar:
        for number in range(rounds):
            for start in range(0, len(items), BLOCK):
                for name in _rotated(list(systems), number + start // BLOCK):
                    places = range(start, min(start + BLOCK, len(items)))
                    _time_block(systems[name], ready[name], items, places, times[name][number])
                    bar.update(min(BLOCK, len(items) - start))
    return times


def _nothing(_: object) -> None:
    """For systems that need nothing before a call."""


def _time_block(
    call: Callable[[Item], object], ready: Callable[[Item], object], items: Sequence[Item], places: range, into: Array
) -> None:
    for place in places:
        ready(items[place])
        begin = time.perf_counter()
        call(items[place])
        into[place] = time.perf_counter() - begin


def _rotated(names: list[str], by: int) -> list[str]:
    by %= max(1, len(names))
    return names[by:] + names[:by]


def add_times(sheet: Sheet, task: str, system: str, times: Array, sizes: Sequence[int] | None = None) -> None:
    """Add percentiles and rate from seconds of shape (rounds, calls).

    Args:
        sizes: turns in each call; None means one, that of the sheet's row.
    """
    typical = np.median(times, axis=0)
    rows = None if sizes is None else ScoredRows([str(number) for number in range(len(typical))])
    add_percentiles(sheet, task, system, typical, rows)
    sheet.add(task, system, "per_second", rate(np.ones(len(typical)) if sizes is None else sizes, typical), rows)


def add_percentiles(sheet: Sheet, task: str, system: str, seconds: Array, rows: ScoredRows | None) -> None:
    """Add `p50_ms`, `p95_ms` and `p99_ms` of the seconds of each call."""
    for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95), ("p99_ms", 0.99)):
        sheet.add(task, system, name, percentile(1000 * seconds, share), rows)


def percentile(milliseconds: Array, share: float) -> Measure:
    """The smallest of the times that at least `share` (0 to 1) of them do not exceed, in milliseconds."""
    order = np.argsort(milliseconds)
    ranked = milliseconds[order]

    def formula(sums: Array) -> Array:
        below = sums[:, order].cumsum(axis=1)
        # A hair less than the share, because sums of weights are not exact.
        reached = below >= share * below[:, -1:] - 1e-9
        found: Array = ranked[reached.argmax(axis=1)]
        return found

    return Measure(np.eye(len(milliseconds)), formula)


def rate(counts: Sequence[int] | Array, seconds: Array) -> Measure:
    """Turns a second: all turns by all the time."""
    rows = np.stack([np.asarray(counts, float), seconds], axis=1)
    return Measure(rows, lambda sums: np.asarray(sums[:, 0] / sums[:, 1], float))
