"""How far a long command is, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Told how many are done, and of how many."""


def progress_bar(what: str, unit: str) -> Progress | None:
    """A bar on a terminal, a line every tenth where tqdm is not installed, and None where nobody looks."""
    if not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return progress_lines(what, unit)
    bar = tqdm(desc=what, unit=unit, file=sys.stderr)

    def report(done: int, total: int) -> None:
        if bar.total != total:
            bar.reset(total)
        bar.update(done - bar.n)

    return report


def progress_lines(what: str, unit: str) -> Progress:
    """A line every tenth."""
    reported = -1

    def report(done: int, total: int) -> None:
        nonlocal reported
        tenth = 10 * done // max(1, total)
        if tenth > reported:
            reported = tenth
            print(f"{what}: {done:,} of {total:,} {unit}s", file=sys.stderr)

    return report
