"""Who may read and write for a partition: one worker at a time, and each its part of all partitions."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from dataclasses import dataclass
from typing import Any

from grice.middleware.runtime.redis_connection import RedisError

PREFIX = "grice:monitor"
LEASE_LOST = "LEASELOST"
"""How the error of a script begins that found another owner, or none."""

GUARD = f"""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('{LEASE_LOST} another worker may own the partition') end
"""
"""The beginning of every script that changes anything: `KEYS[1]` is the lease, `ARGV[1]` its token. A worker that was frozen for
longer than its lease can neither take entries nor commit."""

_RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

# By the clock of Redis, so that workers need not agree on the time.
_BEAT = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Keys:
    """The keys of one consumer group of one stream of events; those of a dialogue hold whatever its partition is."""

    stream: str
    group: str

    @property
    def members(self) -> str:
        """The workers that are alive: a sorted set, by the time when they are taken for dead."""
        return f"{self._root}:members"

    def lease(self, partition: str) -> str:
        """Who owns a partition: a string that expires."""
        return f"{self._root}:lease:{partition}"

    def position(self, partition: str) -> str:
        """How many entries of a partition were read, and how many Redis removed before: a hash."""
        return f"{self._root}:position:{partition}"

    def history(self, kept_as: str) -> str:
        """The newest turns of a dialogue (`DialogueEvent.kept_as`): a list."""
        return f"{self._root}:history:{kept_as}"

    def done(self, kept_as: str) -> str:
        """The ids of a dialogue's events that are dealt with: a sorted set."""
        return f"{self._root}:done:{kept_as}"

    @property
    def _root(self) -> str:
        return f"{PREFIX}:{self.stream}:{self.group}"


class Lease:
    """The right to one partition, which Redis takes back by itself after `lease_ms` unless it is renewed.

    Attributes:
        token: another one each time the lease is had; empty while it is not.
    """

    def __init__(self, redis: Any, key: str, lease_ms: int) -> None:
        self.key = key
        self.token = ""
        self._redis = redis
        self._lease_ms = lease_ms
        self._renew = redis.register_script(_RENEW)
        self._release = redis.register_script(_RELEASE)

    def acquire(self) -> bool:
        """Take the lease if nobody has it; whether it is had now."""
        token = uuid.uuid4().hex
        if self._redis.set(self.key, token, nx=True, px=self._lease_ms):
            self.token = token
        return bool(self.token)

    def renew(self) -> None:
        """Hold it for its full time again, if it is still had."""
        if self.token:
            self._renew(keys=[self.key], args=[self.token, self._lease_ms])

    def release(self) -> None:
        """Let others have it at once."""
        token, self.token = self.token, ""
        if token:
            self._release(keys=[self.key], args=[token])


class LeaseKeeper:
    """A thread that renews leases however long scoring a batch takes, but not those of a worker that is stuck.

    Args:
        stuck_s: seconds without `progress` after which it renews no more.
    """

    def __init__(self, leases: list[Lease], lease_ms: int, stuck_s: float) -> None:
        self._leases = leases
        self._pause_s = lease_ms / 3000
        self._stuck_s = stuck_s
        self._progress = time.monotonic()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="grice-leases", daemon=True)

    def start(self) -> None:
        """Begin to renew."""
        self._thread.start()

    def stop(self) -> None:
        """Renew no more."""
        self._stopping.set()
        self._thread.join()

    @property
    def is_stuck(self) -> bool:
        """Whether there was no progress for too long."""
        return time.monotonic() - self._progress > self._stuck_s

    def progress(self) -> None:
        """The worker is not stuck."""
        self._progress = time.monotonic()

    def _run(self) -> None:
        while not self._stopping.wait(self._pause_s):
            if self.is_stuck:
                log.error("the worker is stuck: others may take its partitions")
            else:
                self._renew()

    def _renew(self) -> None:
        try:
            for lease in self._leases:
                lease.renew()
        except (RedisError, OSError) as error:
            log.warning("a lease could not be renewed", extra={"error": type(error).__name__})


def lease_is_lost(error: Exception) -> bool:
    """Whether a script refused because the lease is not held any more."""
    return str(error).startswith(LEASE_LOST)


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
