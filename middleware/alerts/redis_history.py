"""The alerts that were told last, in Redis, whichever process told them."""

from __future__ import annotations

from grice.middleware.alerts.alert import Alert
from grice.middleware.alerts.history import MOST
from grice.middleware.runtime.redis_connection import connect, redis_errors
from grice.models.errors import InputError, StoreError

KEY = "grice:alerts:history"


class RedisHistory:
    """An `AlertHistory` on Redis (redis-py 4.6 to 8): one list. Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, timeout_s: float = 1.0) -> None:
        self._redis = connect(url, timeout_s)

    @redis_errors("alerts")
    def add(self, alert: Alert) -> None:
        with self._redis.pipeline(transaction=True) as transaction:
            transaction.lpush(KEY, alert.to_json())
            transaction.ltrim(KEY, 0, MOST - 1)
            transaction.execute()

    def last(self) -> list[Alert]:
        with redis_errors("alerts"):
            lines: list[bytes] = self._redis.lrange(KEY, 0, MOST - 1)
        try:
            return [Alert.from_json(line) for line in lines]
        except InputError as error:
            raise StoreError(f"Redis: the key {KEY} holds something else than alerts; use another database or delete it") from error

    def close(self) -> None:
        self._redis.close()
