"""How fast a server may be asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

MINUTE_S = 60.0


class Pace:
    """Hands out turns that are evenly apart, so that no minute holds more of them than the rate. May be used from any thread.

    Args:
        per_minute: the rate.
        clock: the time in seconds; it never goes back.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._apart_s = MINUTE_S / per_minute
        self._clock = clock
        self._next = clock()
        self._lock = threading.Lock()

    def take(self) -> float:
        """Take the next free turn; how many seconds away it is."""
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._apart_s
            return turn - now
