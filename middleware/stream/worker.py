"""The worker: scores what is in the stream, alone or with others."""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from grice.middleware.events.redis_stream import stream_keys
from grice.middleware.monitor.monitor import Monitor
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates import Increment, RateNames, increments
from grice.middleware.runtime.backoff import Backoff
from grice.middleware.runtime.deadline import Deadline
from grice.middleware.runtime.redis_connection import RedisError, connect
from grice.middleware.stream.ownership import Keys, LeaseKeeper, Membership, lease_is_lost
from grice.middleware.stream.partition import Equipment, Partition
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.tally import Tally, WorkerCounts
from grice.models.errors import StoreError, shorten

if TYPE_CHECKING:
    from grice.middleware.monitor.metrics import MonitorMetrics

SHARE_S = 0.5
"""How often a busy worker looks whether it owns as many partitions as it should."""
PATIENCE_S = 10.0
"""How long a worker that is to end by itself waits for a Redis that cannot be used."""
TROUBLE_S = 10.0
"""How long a worker may fail before it says that it is not well."""
LOOK_S = 0.05
"""How soon a wait notices that the worker is to stop."""

log = logging.getLogger(__name__)


class Worker:
    """Reads the stream as a consumer group, scores the bot's responses, and writes results, rates and dead letters.

    Every entry is finished in one step of Redis, which writes the result, adds to the rates, keeps the turn and acknowledges. So
    each is scored at least once and is in the results once, wherever a worker, or Redis, dies. One worker at a time owns a
    partition, so the events of a dialogue are finished in the order of the stream; others stand by or own other partitions.

    Args:
        monitor: scores.
        settings: where and how.
        metrics: what Prometheus reads; None: nothing.
        on_result: told each result after it was written.
        shard: the number of its Redis server among several.
    """

    def __init__(
        self,
        monitor: Monitor,
        settings: WorkerSettings,
        metrics: MonitorMetrics | None = None,
        on_result: Callable[[ScoredResponse], None] | None = None,
        shard: int = 0,
    ) -> None:
        self.settings = settings
        self._shard = shard
        self._tally = Tally(metrics, on_result, shard)
        self._names = RateNames()
        self._stopping = False
        self._redis = connect(settings.redis_url, (settings.redis_timeout_ms + settings.block_ms) / 1000)
        keys = Keys(settings.events_stream, settings.events_group)
        name = settings.worker_name or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._membership = Membership(self._redis, keys, name, settings.lease_ms)
        equipment = Equipment(self._redis, keys, name, monitor, settings, self._tally, self._increments, self._pause)
        streams = stream_keys(settings.events_stream, settings.events_partitions)
        self._partitions = [Partition(stream, equipment) for stream in streams]
        self._keeper = LeaseKeeper([partition.lease for partition in self._partitions], settings.lease_ms, settings.stuck_s)
        self._backoff = Backoff(settings.retry_ms / 1000, settings.max_retry_ms / 1000)
        self._failed_times = 0
        self._trouble = ""
        self._patience = Deadline(PATIENCE_S)
        self._next_share = 0.0
        self._well_at = time.monotonic()

    @property
    def trouble(self) -> str:
        """What keeps the worker from getting on; empty: nothing does. Redis is tried by whoever asks (`check_writable`)."""
        if self._keeper.is_stuck:
            return "stuck"
        return "failing" if self._failed_times and time.monotonic() - self._well_at > TROUBLE_S else ""

    @property
    def counts(self) -> WorkerCounts:
        """What was done since the start."""
        return self._tally.counts

    def run(self, once: bool = False) -> None:
        """Work until `stop`, or with `once` until no partition has anything left to do, in this worker's hands or in another's.

        Raises:
            StoreError: with `once`, Redis could not be used for `PATIENCE_S`. Without it the worker tries for ever.
        """
        self._keeper.start()
        next_report = time.monotonic() + self.settings.report_s
        try:
            while not self._stopping:
                self._keeper.progress()
                busy = self._guarded(self._round)
                if once and busy is False and self._guarded(self._is_drained):
                    break
                if busy is False:
                    self._guarded(self._wait_for_events)
                if once and self._trouble and self._patience.is_over:
                    raise StoreError(f"Redis could not be used for {PATIENCE_S:g} s: {self._trouble}; is it running and reachable?")
                if time.monotonic() >= next_report:
                    self._report()
                    next_report = time.monotonic() + self.settings.report_s
        finally:
            self._leave()

    def stop(self) -> None:
        """Finish the batch in hand, give the partitions back, and return from `run`. May be called from a signal handler."""
        self._stopping = True

    def _round(self) -> bool:
        """One batch of each partition that is owned; whether there may be more."""
        if time.monotonic() >= self._next_share:
            self._share()
        busy, errors = False, []
        for partition in self.owned():
            try:
                busy = self._step(partition) or busy
            except Exception as error:  # noqa: BLE001 - the other partitions go on
                errors.append(error)
        if errors:
            raise errors[0]
        if not busy:
            self._next_share = 0.0
        return busy

    def _share(self) -> None:
        """Own as many partitions as are this worker's part among those that are alive."""
        part = self._membership.beat(len(self._partitions))
        owned = self.owned()
        for partition in owned[part:]:
            partition.release()
        for partition in self._partitions:
            if len(self.owned()) < part and not partition.lease.token:
                partition.acquire()
        self._next_share = time.monotonic() + min(SHARE_S, self.settings.lease_ms / 4000)

    def _step(self, partition: Partition) -> bool:
        try:
            return partition.step()
        except (RedisError, OSError) as error:
            if not lease_is_lost(error):
                if str(error).startswith("NOGROUP"):  # stream or group was deleted: what is in hand can never be finished
                    partition.start_over()
                raise
            self._tally.count("leases_lost")
            partition.lose()
            return True
        except Exception:
            partition.start_over()
            raise

    def _guarded(self, work: Callable[[], bool]) -> bool | None:
        """What `work` says; None after a failure, which is told once until something works again, and a wait."""
        try:
            answer = work()
        except Exception as error:  # noqa: BLE001 - the worker goes on; its message may quote a turn
            self._tally.count("failures")
            self._trouble = type(error).__name__ if isinstance(error, (RedisError, OSError)) else ""
            if self._failed_times == 0:
                self._patience = Deadline(PATIENCE_S)
                log.error("the worker cannot go on; it tries again until it can", extra=_about(error))
            self._failed_times += 1
            self._pause(self._backoff.wait_s(self._failed_times))
            return None
        if self._failed_times:
            log.warning("the worker goes on", extra={"failures": self._failed_times})
            self._failed_times, self._trouble = 0, ""
        self._well_at = time.monotonic()
        return answer

    def _wait_for_events(self) -> bool:
        owned = self.owned()
        if owned:
            self._redis.xread({partition.name: partition.last for partition in owned}, count=1, block=self.settings.block_ms)
        else:
            self._pause(min(self.settings.block_ms, self.settings.lease_ms / 3) / 1000)
        return True

    def _pause(self, seconds: float) -> None:
        """Wait, but not when told to stop. No lock is involved, since `stop` may come from a signal handler."""
        end = time.monotonic() + seconds
        while not self._stopping and time.monotonic() < end:
            time.sleep(max(0.0, min(LOOK_S, end - time.monotonic())))

    def _is_drained(self) -> bool:
        return all(partition.is_drained() for partition in self._partitions)

    def owned(self) -> Sequence[Partition]:
        """The partitions that this worker reads now."""
        return [partition for partition in self._partitions if partition.lease.token]

    def _leave(self) -> None:
        self._keeper.stop()
        try:
            for partition in self.owned():
                partition.release()
            self._membership.leave()
        except (RedisError, OSError) as error:
            log.warning("partitions could not be given back; their leases expire", extra=_about(error))
        self._report()
        self._redis.close()

    def _report(self) -> None:
        unread = sum(self._tally.unread.get(partition.name, 0) for partition in self.owned())
        owned = [partition.name for partition in self.owned()]
        log.info("counts", extra={**asdict(self.counts), "unread": unread, "partitions": owned, "shard": self._shard})

    def _increments(self, response: ScoredResponse) -> Sequence[Increment]:
        return increments(self._names.bounded(response))


def _about(error: Exception) -> dict[str, str]:
    """The class of an error, and what Redis says; no other message, as it may quote a turn."""
    said = {"said": shorten(str(error))} if isinstance(error, RedisError) else {}
    return {"error": type(error).__name__, **said}
