"""Events into a Redis stream, which a behaviour monitor's consumer group reads."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from grice.middleware.events.event import DialogueEvent
from grice.middleware.runtime.redis_connection import RedisError, connect, urls_of
from grice.models.errors import DeliveryError

FIELD = "event"
"""The one field of an entry; its value is the event as JSON."""


def stream_keys(stream: str, partitions: int) -> Sequence[str]:
    """The keys of all partitions: the stream's own name where there is one, `STREAM:0`, `STREAM:1`, … where there are more.

    So several workers share one logical stream, and each dialogue stays in order.
    """
    return [stream] if partitions == 1 else [f"{stream}:{number}" for number in range(partitions)]


def stream_key(stream: str, dialogue_id: str, partitions: int) -> str:
    """The key of the partition that holds a dialogue: by the CRC-32 of its id in UTF-8, modulo the number of partitions."""
    return stream_keys(stream, partitions)[zlib.crc32(dialogue_id.encode()) % partitions]


def shard_of(dialogue_id: str, partitions: int, shards: int) -> int:
    """Which of several Redis servers holds a dialogue: by the same CRC-32, divided by the partitions that each server has."""
    return zlib.crc32(dialogue_id.encode()) // partitions % shards


class RedisStreamPublisher:
    """An `EventPublisher` that adds entries to a stream (redis-py 4.6 to 8). Making one does not connect.

    An event that is sent again after a lost answer is in the stream twice: readers go by `event_id`.

    Args:
        url: `redis://`, `rediss://` or `unix://`; several with spaces between them share the dialogues (`shard_of`).
        stream: its key.
        maxlen: entries that the stream holds, about; Redis removes the oldest beyond it, read or not.
        timeout_s: how long connecting, and one batch, may take.
        partitions: how many streams it is made of (`stream_keys`), each of `maxlen` entries.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, url: str, stream: str, maxlen: int = 100_000, timeout_s: float = 2.0, partitions: int = 1) -> None:
        self.stream = stream
        self.maxlen = maxlen
        self.partitions = partitions
        self._shards = [connect(each, timeout_s) for each in urls_of(url)]

    def publish(self, events: Sequence[DialogueEvent]) -> None:
        shares: dict[int, list[DialogueEvent]] = defaultdict(list)
        for event in events:
            shares[shard_of(event.dialogue_id, self.partitions, len(self._shards))].append(event)
        try:
            for shard, share in shares.items():
                self._add(self._shards[shard], share)
        except (RedisError, OSError) as error:
            raise DeliveryError(f"Redis: XADD failed: {type(error).__name__}; is it running and reachable?") from error

    def _add(self, redis: Any, events: Sequence[DialogueEvent]) -> None:
        with redis.pipeline(transaction=True) as transaction:
            for event in events:
                key = stream_key(self.stream, event.dialogue_id, self.partitions)
                transaction.xadd(key, {FIELD: event.to_json()}, maxlen=self.maxlen, approximate=True)
            transaction.execute()

    def close(self) -> None:
        for redis in self._shards:
            redis.close()
