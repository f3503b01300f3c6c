"""The alerts that were told last, so that people can look at them later."""

from __future__ import annotations

import threading
from collections import deque
from typing import Protocol

from grice.middleware.alerts.alert import Alert

MOST = 200
"""Alerts that are kept, of all tenants together."""


class AlertHistory(Protocol):
    """The newest alerts. Thread-safe."""

    def add(self, alert: Alert) -> None:
        """Keep an alert.

        Raises:
            StoreError: the store cannot be reached.
        """
        ...

    def last(self) -> list[Alert]:
        """Those that are kept, of every tenant, the newest first.

        Raises:
            StoreError: the store cannot be reached.
        """
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


class MemoryHistory:
    """An `AlertHistory` of one process, forgotten with it."""

    def __init__(self) -> None:
        self._alerts: deque[Alert] = deque(maxlen=MOST)
        self._lock = threading.Lock()

    def add(self, alert: Alert) -> None:
        with self._lock:
            self._alerts.appendleft(alert)

    def last(self) -> list[Alert]:
        with self._lock:
            return list(self._alerts)

    def close(self) -> None:
        """There are no connections."""
