"""How many partitions a worker should own."""

from __future__ import annotations

import time
from typing import Any

from grice.middleware.stream.keys import Keys

# By the clock of Redis, so that workers need not agree on the time.
_BEAT = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""


class Membership:
    """This worker among those of its group.

    A worker is counted as long as it beats, once a round: one that is stuck in a round is left out, so that others may take what it
    does not own.
    """

    def __init__(self, redis: Any, keys: Keys, name: str, lease_ms: int) -> None:
        self._redis = redis
        self._key = keys.members
        self._name = f"{time.time():017.6f} {name}"
        self._lease_ms = lease_ms
        self._script = redis.register_script(_BEAT)

    def beat(self, partitions: int) -> int:
        """Say that this worker is alive; how many of the partitions are its part among all that are.

        What cannot be shared evenly is for those that have been there longest, so that a new one takes nothing without need.
        """
        alive = sorted(self._script(keys=[self._key], args=[self._name, self._lease_ms]))
        return partitions // len(alive) + (alive.index(self._name.encode()) < partitions % len(alive))

    def leave(self) -> None:
        """Say that it is not any more."""
        self._redis.zrem(self._key, self._name)
