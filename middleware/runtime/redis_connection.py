"""How we connect to Redis: with a limit on every wait, and no retries of our own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from grice.models.errors import MissingExtra, SettingsError, StoreError

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as error:
    raise MissingExtra("redis", "redis") from error

PROBE_KEY = "grice:probe"
PROBE_MS = 10_000

RedisError = redis.RedisError
"""What redis-py raises; `OSError` comes beside it."""


def connect(url: str, timeout_s: float) -> Any:
    """A client of redis-py (4.6 to 8). Making it does not connect.

    It does not retry: a retry that follows a lost answer would do things twice.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """
    try:
        return redis.Redis.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, retry=Retry(NoBackoff(), 0))
    except ValueError as error:
        raise SettingsError("redis_url", url.split("://")[0], "a URL that starts with redis://, rediss:// or unix://") from error


def check_writable(client: Any) -> None:
    """Write a key, which expires by itself: a Redis that is full, a replica, or cannot save answers a ping and refuses this.

    Raises:
        RedisError, OSError: it cannot be reached, or refuses.
    """
    client.set(PROBE_KEY, b"", px=PROBE_MS)


class RedisProbe:
    """Tries whether servers can be written. Making one does not connect.

    Args:
        url: of one, or of several with spaces between them.
        timeout_s: how long each operation may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        self._servers = [connect(each, timeout_s) for each in urls_of(url)]

    def ping(self) -> None:
        """Write to each, up to the first that fails.

        Raises:
            StoreError: one cannot be reached, or refuses.
        """
        with redis_errors("ping"):
            for server in self._servers:
                check_writable(server)

    def close(self) -> None:
        """Give connections back."""
        for server in self._servers:
            server.close()


def urls_of(url: str) -> list[str]:
    """The servers that a setting names: one, or several with spaces between them, each of which holds its share of the dialogues.

    Raises:
        SettingsError: it names none, or one twice.
    """
    urls = url.split()
    if not urls or len(set(urls)) < len(urls):
        raise SettingsError("redis_url", f"{len(urls)} that are not shown", "one or several, each another server or database")
    return urls


@contextlib.contextmanager
def redis_errors(operation: str) -> Iterator[None]:
    """Around operations of Redis, as a context or a decorator: what it raises becomes a `StoreError` that names the operation.

    Raises:
        StoreError: Redis cannot be reached or refuses.
    """
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreError(f"Redis: {operation} failed: {type(error).__name__}; is it running and reachable?") from error
