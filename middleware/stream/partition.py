"""One partition of the stream in the hands of one worker."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grice.middleware.monitor.monitor import Monitor
from grice.middleware.runtime.backoff import Backoff
from grice.middleware.stream.finishing import Commits, Finished, Increments, prepare
from grice.middleware.stream.ownership import Keys, Lease
from grice.middleware.stream.planning import decode, plan, recall
from grice.middleware.stream.scoring import Failed, score
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.source import Entry, Source, Taken
from grice.middleware.stream.tally import Tally
from grice.middleware.telemetry import traced

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Equipment:
    """What a worker uses in each of its partitions.

    Attributes:
        consumer: its name in the group.
        counted: what a response adds to the rates.
        pause: waits so many seconds, but not when the worker is told to stop.
    """

    redis: Any
    keys: Keys
    consumer: str
    monitor: Monitor
    settings: WorkerSettings
    tally: Tally
    counted: Increments
    pause: Callable[[float], object]


class Partition:
    """Takes entries, scores them, finishes them: what others left first, one by one, then what is new, in batches.

    Attributes:
        last: the newest entry that the group was given, as far as known.
    """

    def __init__(self, name: str, equipment: Equipment) -> None:
        use, settings = equipment, equipment.settings
        self.name = name
        self.last = "0-0"
        self.lease = Lease(use.redis, use.keys.lease(name), settings.lease_ms)
        self._use = use
        self._backoff = Backoff(settings.retry_ms / 1000, settings.max_retry_ms / 1000)
        self._source = Source(use.redis, use.keys, name, use.consumer, self.lease)
        self._commits = Commits(use.redis, use.keys, name, self.lease, settings)
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
        """Finish some entries: take, score, write; whether there may be more at once.

        Raises:
            RedisError, OSError: Redis cannot be reached or refuses; `lease_is_lost` tells the reason that needs `lose`. Otherwise
                the next step goes on where this one failed.
        """
        if not self._unwritten:
            self._in_hand = self._in_hand or self._take()
            if not self._in_hand:
                return False
            self._unwritten, self._in_hand = self._score(self._in_hand), ()
        self._write()
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
            unfinished = self._note(self._source.take_unfinished())
            self._use.tally.count("recovered", len(unfinished))
            if unfinished:
                return unfinished
        new = self._note(self._source.take_new(self._use.settings.worker_batch_size))
        self._taking_over = False
        return new

    def _note(self, taken: Taken) -> Sequence[Entry]:
        self.last = taken.last
        self._use.tally.taken(self.name, taken)
        if taken.dropped:
            lost = {"partition": self.name, "lost": taken.dropped}
            log.error("entries are LOST: the stream was longer than its limit", extra=lost)
        return taken.entries

    def _score(self, entries: Sequence[Entry]) -> list[Finished]:
        settings = self._use.settings
        found = [(entry, decode(entry)) for entry in entries]
        events = [event for _, event in found if not isinstance(event, Failed)]
        planned = plan(found, recall(self._use.redis, self._use.keys, events), settings)
        begun = time.monotonic()
        asked = [(each.event, each.dialogue) for each in planned if each.event is not None and each.dialogue is not None]
        with traced("grice.monitor.score", responses=len(asked)):
            results = iter(score(self._use.monitor, asked, settings.max_tries, self._wait))
        if asked:
            self._use.tally.scoring(time.monotonic() - begun)
        return [
            prepare(each, next(results) if each.fate == "score" else None, self.name, settings, self._use.counted)
            for each in planned
        ]

    def _wait(self, tries: int) -> None:
        self._use.tally.count("retried")
        self._use.pause(self._backoff.wait_s(tries - 1))

    def _write(self) -> None:
        with traced("grice.monitor.write", entries=len(self._unwritten)):
            outcomes = self._commits.finish([each.commit for each in self._unwritten])
        self._use.tally.written(self._unwritten, outcomes)
        self._unwritten = ()
