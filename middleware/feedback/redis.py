"""Feedback in Redis, so that all services know it and it outlives them."""

from __future__ import annotations

from collections.abc import Mapping

from grice.middleware.access import owned
from grice.middleware.feedback.feedback import Feedback
from grice.middleware.feedback.store import FeedbackStore
from grice.middleware.runtime.redis_connection import connect, redis_errors
from grice.models.errors import InputError, StoreError

KEY = "grice:feedback:"


class RedisFeedback(FeedbackStore):
    """A `FeedbackStore` on Redis (redis-py 4.6 to 8): a hash a tenant. Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, timeout_s: float = 0.25) -> None:
        self._redis = connect(url, timeout_s)

    @property
    def _key(self) -> str:
        return KEY + owned(self.tenant, "alarms")

    @redis_errors("keeping feedback")
    def put(self, feedback: Feedback) -> None:
        self._redis.hset(self._key, feedback.place, feedback.to_json())

    def all(self) -> Mapping[str, Feedback]:
        with redis_errors("reading feedback"):
            rows: Mapping[bytes, bytes] = self._redis.hgetall(self._key)
        try:
            found = [Feedback.from_json(value) for value in rows.values()]
        except InputError as error:
            raise StoreError(f"Redis: the key {self._key} holds something else than feedback; use another database") from error
        return {each.place: each for each in sorted(found, key=lambda each: each.at)}

    def close(self) -> None:
        self._redis.close()
