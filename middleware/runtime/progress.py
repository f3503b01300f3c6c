"""How far a long command is, and how long it will take, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Told how many are done, and of how many."""

BYTES = "byte"
"""The unit that is counted in thousands."""


def progress_bar(what: str, unit: str) -> Progress | None:
    """A bar on a terminal, a line every tenth where tqdm is not installed, and None where nobody looks."""
    if not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return progress_lines(what, unit)
    bar = tqdm(desc=what, unit="B" if unit == BYTES else f" {unit}s", unit_scale=unit == BYTES, file=sys.stderr)

    def report(done: int, total: int) -> None:
        if bar.total != total:
            bar.reset(total)
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return report


def progress_lines(what: str, unit: str, clock: Callable[[], float] = time.monotonic) -> Progress:
    """A line every tenth, with an estimate of what is left.

    Args:
        clock: seconds, from any beginning.
    """
    reported, started, before = -1, clock(), None

    def report(done: int, total: int) -> None:
        nonlocal reported, before
        before = done if before is None else before  # what was there from an earlier run took no time
        tenth = 10 * done // max(1, total)
        if tenth > reported:
            reported = tenth
            left = _left(clock() - started, done - before, total - done)
            print(f"{what}: {done:,} of {total:,} {unit}s{left}", file=sys.stderr)

    return report


def _left(seconds: float, done: int, left: int) -> str:
    """How long the rest takes if it goes on like this; nothing where there is nothing to tell it by."""
    if done <= 0 or left <= 0:
        return ""
    whole = round(seconds * left / done)
    return f", about {whole // 60} min {whole % 60} s left" if whole >= 60 else f", about {whole} s left"
