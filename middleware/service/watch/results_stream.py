"""Scored responses in a Redis stream, so that several services and workers know of each other's."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from grice.middleware.monitor import ScoredResponse
from grice.middleware.runtime.redis_connection import RedisError, connect
from grice.models.errors import InputError, StoreError

FIELD = "response"
"""The one field of an entry; its value is the scored response as JSON."""
LOOK_EVERY_S = 0.5
AT_START = 1000
"""Entries that are read of what was there before."""
AT_ONCE = 500

log = logging.getLogger(__name__)


class ResultsStream:
    """Adds to the stream, and reads what anybody adds. Making one does not connect.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        key: of the stream.
        maxlen: entries that it holds, about; Redis removes the oldest beyond it.
        timeout_s: how long connecting, and each operation, may take.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, key: str, maxlen: int, timeout_s: float) -> None:
        self.key = key
        self.maxlen = maxlen
        self._redis = connect(url, timeout_s)
        self._newest: bytes | None = None
        self._closing = threading.Event()
        self._reader: threading.Thread | None = None

    def add(self, responses: Sequence[ScoredResponse]) -> None:
        """Add them, all or none.

        Raises:
            StoreError: Redis cannot be reached or refused.
        """
        try:
            with self._redis.pipeline(transaction=True) as transaction:
                for response in responses:
                    transaction.xadd(self.key, {FIELD: response.to_json()}, maxlen=self.maxlen, approximate=True)
                transaction.execute()
        except (RedisError, OSError) as error:
            raise StoreError(f"Redis: XADD failed: {type(error).__name__}; is it running and reachable?") from error

    def follow(self, found: Callable[[Sequence[str], Sequence[ScoredResponse]], None]) -> None:
        """From now on, in a thread, tell `found` what is in the stream and what is added: places and responses, oldest first."""
        self._reader = threading.Thread(target=self._follow, args=(found,), name="grice-results", daemon=True)
        self._reader.start()

    def close(self) -> None:
        """Stop, and give connections back."""
        self._closing.set()
        if self._reader is not None:
            self._reader.join()
        self._redis.close()

    def _follow(self, found: Callable[[Sequence[str], Sequence[ScoredResponse]], None]) -> None:
        reachable = True
        while not self._closing.is_set():
            try:
                entries = self._read()
                if not reachable:
                    log.info("the stream of results can be read again")
                reachable = True
            except (RedisError, OSError) as error:
                entries = []
                if reachable:
                    log.warning("the stream of results cannot be read: %s", type(error).__name__)
                reachable = False
            if entries:
                self._newest = entries[-1][0]
                readable = [(place.decode(), response) for place, values in entries if (response := _response(values))]
                found([place for place, _ in readable], [response for _, response in readable])
            if len(entries) < AT_ONCE:
                self._closing.wait(LOOK_EVERY_S)

    def _read(self) -> list[tuple[bytes, dict[bytes, bytes]]]:
        if self._newest is None:
            newest_first: list[Any] = self._redis.xrevrange(self.key, count=AT_START)
            return newest_first[::-1]
        entries: list[Any] = self._redis.xrange(self.key, min=b"(" + self._newest, count=AT_ONCE)
        return entries


def _response(values: dict[bytes, bytes]) -> ScoredResponse | None:
    try:
        return ScoredResponse.from_json(values.get(FIELD.encode(), b""))
    except InputError:
        log.warning("an entry of the stream of results holds something else than a scored response")
        return None
