"""Rates in Redis, so that all workers and services count together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates.counters import RateNames, increments
from grice.middleware.rates.rate_store import RateStore
from grice.middleware.runtime.redis_connection import connect, redis_errors, urls_of


class RedisRates(RateStore):
    """A `RateStore` on Redis (redis-py 4.6 to 8): a hash of counters a bucket, which Redis itself expires.

    Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`; of several, with spaces between them, the counters are added up.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, timeout_s: float = 0.25) -> None:
        self._shards = [connect(each, timeout_s) for each in urls_of(url)]
        self._names = RateNames()

    def add(self, responses: Sequence[ScoredResponse]) -> None:
        steps: Counter[tuple[str, str]] = Counter()
        expires: dict[str, int] = {}
        for response in responses:
            for each in increments(self._names.bounded(response)):
                steps[each.key, each.field] += each.amount
                expires[each.key] = each.expire_s
        with redis_errors("counting"), self._shards[0].pipeline(transaction=True) as transaction:
            for (key, field), amount in steps.items():
                transaction.hincrby(key, field, amount)
            for key, seconds in expires.items():
                transaction.expire(key, seconds)
            transaction.execute()

    def count(self, keys: Sequence[str]) -> Counter[str | bytes]:
        sums: Counter[str | bytes] = Counter()
        for redis in self._shards:
            with redis_errors("reading rates"), redis.pipeline(transaction=False) as pipeline:
                for key in keys:
                    pipeline.hgetall(key)
                for counters in pipeline.execute():
                    sums.update({field: int(number) for field, number in counters.items()})
        return sums

    def close(self) -> None:
        for redis in self._shards:
            redis.close()
