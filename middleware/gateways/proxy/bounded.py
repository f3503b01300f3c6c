"""What is remembered of the newest of something."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class Newest(Generic[Kept]):
    """Values by name; beyond `size` the one unused longest goes. For one event loop.

    Args:
        size: how many are kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[str, Kept] = OrderedDict()

    def keep(self, name: str, value: Kept) -> None:
        """Remember it, in place of what had its name."""
        self._values[name] = value
        self._values.move_to_end(name)
        if len(self._values) > self._size:
            self._values.popitem(last=False)

    def find(self, name: str) -> Kept | None:
        """What was kept under the name; None: nothing, or no longer."""
        if name not in self._values:
            return None
        self._values.move_to_end(name)
        return self._values[name]
