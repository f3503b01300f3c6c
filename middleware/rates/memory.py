"""Rates in the memory of this process."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates.counters import RateNames, increments
from grice.middleware.rates.rate_store import RateStore

SWEEP_S = 60.0
"""How often expired buckets are looked for."""


@dataclass
class _Bucket:
    until: float = 0.0
    counters: Counter[str] = field(default_factory=Counter)


class MemoryRates(RateStore):
    """A `RateStore` in memory. Its clock is when the responses were scored."""

    def __init__(self) -> None:
        self._names = RateNames()
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()
        self._next_sweep = 0.0

    def add(self, responses: Sequence[ScoredResponse]) -> None:
        with self._lock:
            for response in responses:
                for each in increments(self._names.bounded(response)):
                    bucket = self._buckets.setdefault(each.key, _Bucket())
                    bucket.counters[each.field] += each.amount
                    bucket.until = max(bucket.until, response.scored_at + each.expire_s)
                self._sweep(response.scored_at)

    def count(self, keys: Sequence[str]) -> Counter[str | bytes]:
        sums: Counter[str | bytes] = Counter()
        with self._lock:
            for key in keys:
                if key in self._buckets:
                    sums.update(self._buckets[key].counters)
        return sums

    def close(self) -> None:
        """There are no connections."""

    def _sweep(self, now: float) -> None:
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_S
            for key in [key for key, bucket in self._buckets.items() if bucket.until < now]:
                del self._buckets[key]
