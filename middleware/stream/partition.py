"""One partition of the stream in the hands of one worker."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from grice.middleware.monitor.monitor import Monitor
from grice.middleware.stream.batch import decoded, plan
from grice.middleware.stream.commits import Commits
from grice.middleware.stream.finishing import Finished, Increments, finished
from grice.middleware.stream.keys import Keys
from grice.middleware.stream.lease import LEASE_LOST, Lease
from grice.middleware.stream.memory import recall
from grice.middleware.stream.scoring import Failed, score
from grice.middleware.stream.source import Entry, Source, Taken
from grice.middleware.stream.tally import Tally
from grice.middleware.stream.worker_settings import WorkerSettings
from grice.middleware.telemetry import traced

log = logging.getLogger(__name__)


class Partition:
    """Takes entries, scores them, finishes them: what others left first, one by one, then what is new, in batches.

    Attributes:
        last: the newest entry that the group was given, as far as known.
    """

    def __init__(
        self,
        redis: Any,
        keys: Keys,
        name: str,
        consumer: str,
        monitor: Monitor,
        settings: WorkerSettings,
        counted: Increments,
        tally: Tally,
        pause: Callable[[float], object],
    ) -> None:
        self.name = name
        self.last = "0-0"
        self.lease = Lease(redis, keys.lease(name), settings.lease_ms)
        self._redis = redis
        self._keys = keys
        self._monitor = monitor
        self._settings = settings
        self._counted = counted
        self._tally = tally
        self._pause = pause
        self._source = Source(redis, keys, name, consumer, self.lease)
        self._commits = Commits(redis, keys, name, self.lease, settings)
        self._in_hand: Sequence[Entry] = ()
        self._unwritten: Sequence[Finished] = ()
        self._taking_over = True

    def acquire(self) -> bool:
        """Own the partition if nobody does; whether it is owned."""
        if self.lease.acquire():
            self.start_over()
            log.info("took over a partition", extra={"partition": self.name})
            return True
        return False

    def release(self) -> None:
        """Let another worker own it."""
        log.info("gives a partition back", extra={"partition": self.name})
        self.lease.release()

    def lose(self) -> None:
        """Another worker may own it already: forget what is in hand."""
        log.warning("lost the lease of a partition", extra={"partition": self.name})
        self.lease.token = ""

    def step(self) -> bool:
        """Finish some entries; whether there may be more at once.

        Raises:
            RedisError, OSError: Redis cannot be reached or refuses; `lease_is_lost` tells the reason that needs `lose`. Otherwise
                the next step goes on where this one failed.
        """
        if not self._unwritten:
            self._in_hand = self._in_hand or self._take()
            if not self._in_hand:
                return False
            self._unwritten, self._in_hand = self._finished(self._in_hand), ()
        with traced("grice.monitor.write", entries=len(self._unwritten)):
            outcomes = self._commits.finish([each.commit for each in self._unwritten])
        self._tally.written(self._unwritten, outcomes)
        self._unwritten = ()
        return True

    def start_over(self) -> None:
        """Something unforeseen went wrong: forget what is in hand, and take it again, which counts as a try."""
        self._taking_over, self._in_hand, self._unwritten = True, (), ()

    def is_drained(self) -> bool:
        """Whether no worker has anything to do here now."""
        return self._source.is_drained()

    def _take(self) -> Sequence[Entry]:
        taking_over = self._taking_over
        self._taking_over = True  # unless all goes well: entries whose names were lost on the way are unfinished ones
        if taking_over:
            self._source.open()
            unfinished = self._noted(self._source.take_unfinished())
            self._tally.count("recovered", len(unfinished))
            if unfinished:
                return unfinished
        new = self._noted(self._source.take_new(self._settings.worker_batch_size))
        self._taking_over = False
        return new

    def _noted(self, taken: Taken) -> Sequence[Entry]:
        self.last = taken.last
        self._tally.taken(self.name, taken)
        if taken.dropped:
            log.error(
                "entries are LOST: the stream was longer than its limit", extra={"partition": self.name, "lost": taken.dropped}
            )
        return taken.entries

    def _finished(self, entries: Sequence[Entry]) -> list[Finished]:
        found = [(entry, decoded(entry)) for entry in entries]
        events = [event for _, event in found if not isinstance(event, Failed)]
        items = plan(found, recall(self._redis, self._keys, events), self._settings)
        begun = time.monotonic()
        asked = [(item.event, item.dialogue) for item in items if item.event is not None and item.dialogue is not None]
        with traced("grice.monitor.score", responses=len(asked)):
            results = iter(score(self._monitor, asked, self._settings.max_tries, self._wait))
        if asked:
            self._tally.scoring(time.monotonic() - begun)
        return [
            finished(item, next(results) if item.fate == "score" else None, self.name, self._settings, self._counted)
            for item in items
        ]

    def _wait(self, tries: int) -> None:
        self._tally.count("retried")
        self._pause(min(self._settings.retry_ms * 2 ** (tries - 2), self._settings.max_retry_ms) / 1000)


def lease_is_lost(error: Exception) -> bool:
    """Whether a script refused because the lease is not held any more."""
    return str(error).startswith(LEASE_LOST)


def group_is_gone(error: Exception) -> bool:
    """Whether the stream was deleted, or the group: what is in hand can never be finished."""
    return str(error).startswith("NOGROUP")
