"""Keeps the number of names that come from outside within a bound, so that counters by name cannot take all memory."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict

UNKNOWN = "unknown"
"""Stands for a name that was not given."""
OTHER = "other"
"""Stands for all names beyond the bound."""


class BoundedNames:
    """Lets the first `limit` names through and calls every later one `OTHER`. Thread-safe.

    Args:
        limit: names that are told apart.
        forget_after_s: a name that did not come for so many seconds makes place for a new one.
    """

    def __init__(self, limit: int, forget_after_s: float = math.inf) -> None:
        self.limit = limit
        self.forget_after_s = forget_after_s
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: str | None, now: float = 0.0) -> str:
        """The name to count under, at the time `now` in Unix seconds."""
        if not name:
            return UNKNOWN
        with self._lock:
            if name not in self._seen and len(self._seen) >= self.limit:
                oldest = next(iter(self._seen))
                if now - self._seen[oldest] <= self.forget_after_s:
                    return OTHER
                del self._seen[oldest]
            self._seen[name] = now
            self._seen.move_to_end(name)
            return name
