"""Tables of what was measured, and whether it is as good as it has to be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST_DELAY_S = 0.5
"""That any legal request may delay another caller's."""
MOST_P99_S = 1.0
"""That an accepted call may take under ten times the load."""
LEAST_GOODPUT = 0.8
"""Of the peak, under ten times the load."""
FACTOR = 2.0
"""By which `Retry-After` may be wrong."""


class WaitingReport:
    """Rows by table, and bars with what was found."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self.holds = True

    def add_table(self, title: str, head: Sequence[str]) -> None:
        """Begin a table."""
        self.say(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")

    def add_row(self, *cells: object) -> None:
        """Add a row."""
        self.say(f"| {' | '.join(map(str, cells))} |")

    def add_bar(self, what: str, found: float, allowed: float, *, at_least: bool = False) -> None:
        """Hold what was found against what is allowed."""
        holds = found >= allowed if at_least else found <= allowed
        self.holds &= holds
        self.say(
            f"\n{'holds' if holds else 'MISSED'}: {what}: {found:.3g}, allowed at {'least' if at_least else 'most'} {allowed:g}"
        )

    def refuse(self, why: str) -> None:
        """Say why nothing can be measured."""
        self.holds = False
        self.say(f"\nNOT MEASURED: {why}")

    def say(self, line: str) -> None:
        """Add a line, and print it at once: all takes minutes."""
        self._lines.append(line)
        print(line, flush=True)

    def __str__(self) -> str:
        return "all bars hold" if self.holds else "a bar was missed"


def ms(seconds: Sequence[float], share: float) -> float:
    """The percentile, 0 to 100, in whole milliseconds; infinite where that many failed."""
    if not len(seconds):
        return float("nan")
    found = 1000 * float(np.percentile(seconds, share, method="nearest"))
    return round(found) if np.isfinite(found) else found
