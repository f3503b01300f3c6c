"""Which alerts fire now, in Redis, so that of several workers and services one tells each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from grice.middleware.alerts.firing import Firing
from grice.middleware.runtime.redis_connection import connect, redis_errors
from grice.models.errors import StoreError

KEY = "grice:alerts:firing"


class RedisFiring:
    """A `FiringStore` on Redis (redis-py 4.6 to 8): one hash. Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, timeout_s: float = 1.0) -> None:
        self._redis = connect(url, timeout_s)

    def all(self) -> Mapping[str, Firing]:
        with redis_errors("alerts"):
            rows: Mapping[bytes, bytes] = self._redis.hgetall(KEY)
        try:
            return {key.decode(): Firing(**json.loads(value)) for key, value in rows.items()}
        except (ValueError, TypeError) as error:
            raise StoreError(f"Redis: the key {KEY} holds something else than alerts; use another database or delete it") from error

    @redis_errors("alerts")
    def begin(self, key: str, firing: Firing) -> bool:
        return bool(self._redis.hsetnx(KEY, key, json.dumps(asdict(firing))))

    @redis_errors("alerts")
    def end(self, key: str) -> bool:
        return bool(self._redis.hdel(KEY, key))

    def close(self) -> None:
        self._redis.close()
