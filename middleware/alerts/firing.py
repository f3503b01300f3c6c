"""Which alerts fire now, so that each is told once."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Firing:
    """An alert that fires.

    Attributes:
        id: of the alert.
        since: when it began, in Unix seconds.
    """

    id: str
    since: float


class FiringStore(Protocol):
    """Alerts that fire, by key. Of several callers that begin or end the same one, one is told that it did. Thread-safe."""

    def all(self) -> Mapping[str, Firing]:
        """Those that fire now.

        Raises:
            StoreError: the store cannot be reached.
        """
        ...

    def begin(self, key: str, firing: Firing) -> bool:
        """Whether it did not fire before, and now does.

        Raises:
            StoreError: the store cannot be reached.
        """
        ...

    def end(self, key: str) -> bool:
        """Whether it fired before, and now does not.

        Raises:
            StoreError: the store cannot be reached.
        """
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


class MemoryFiring:
    """A `FiringStore` of one process, forgotten with it: what still fires is told again after a restart."""

    def __init__(self) -> None:
        self._firing: dict[str, Firing] = {}
        self._lock = threading.Lock()

    def all(self) -> Mapping[str, Firing]:
        with self._lock:
            return dict(self._firing)

    def begin(self, key: str, firing: Firing) -> bool:
        with self._lock:
            return self._firing.setdefault(key, firing) is firing

    def end(self, key: str) -> bool:
        with self._lock:
            return self._firing.pop(key, None) is not None

    def close(self) -> None:
        """There are no connections."""
