"""How long work takes, learned from the work that was done."""

from __future__ import annotations

import math

KEPT = 0.9
"""What counts of earlier measurements, for each later one."""
WIDTH = 8
"""Things whose sizes differ by less than this factor are of one class: a unit of a large thing takes less than one of a small."""


class WorkPace:
    """What one unit comes to, for things of each size: of the latest measurements together, of which the later count more.

    Args:
        first: until there is a measurement.
    """

    def __init__(self, first: float) -> None:
        self._first = first
        self._classes: dict[int, tuple[float, float]] = {}

    @property
    def is_known(self) -> bool:
        """Whether anything was measured."""
        return bool(self._classes)

    def knows(self, each: float) -> bool:
        """Whether things of that size were measured; those of other sizes tell of it only roughly."""
        return _class(each) in self._classes

    def of(self, units: float, each: float | None = None) -> float:
        """What so many units come to.

        Args:
            each: units of one thing; default: it is but one.
        """
        if not self._classes:
            return units * self._first
        size = _class(units if each is None else each)
        known, amount = self._classes[min(self._classes, key=lambda other: abs(other - size))]
        return units * amount / known

    def measure(self, units: float, amount: float, things: int = 1) -> None:
        """So many units, of so many things, came to so much."""
        size = _class(units / things)
        known, before = self._classes.get(size, (0.0, 0.0))
        self._classes[size] = (known * KEPT + max(1.0, units), before * KEPT + amount)


def _class(size: float) -> int:
    return round(math.log(max(1.0, size), WIDTH))
