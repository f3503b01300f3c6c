"""Who may read and write for a partition: one worker at a time."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from typing import Any

from grice.middleware.runtime.redis_connection import RedisError

LEASE_LOST = "LEASELOST"
"""How the error of a script begins that found another owner, or none."""

GUARD = f"""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('{LEASE_LOST} another worker may own the partition') end
"""
"""The beginning of every script that changes anything: `KEYS[1]` is the lease, `ARGV[1]` its token. A worker that was frozen for
longer than its lease can neither take entries nor commit."""

_RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

log = logging.getLogger(__name__)


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

    def progress(self) -> None:
        """The worker is not stuck."""
        self._progress = time.monotonic()

    def _run(self) -> None:
        while not self._stopping.wait(self._pause_s):
            if time.monotonic() - self._progress > self._stuck_s:
                log.error("the worker is stuck: others may take its partitions")
            else:
                self._renew()

    def _renew(self) -> None:
        try:
            for lease in self._leases:
                lease.renew()
        except (RedisError, OSError) as error:
            log.warning("a lease could not be renewed", extra={"error": type(error).__name__})
