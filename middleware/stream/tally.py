"""Tells counts, metrics and telemetry what happened; texts reach none of the first two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.stream.finishing import CommitOutcome, Finished
from grice.middleware.stream.planning import Fate
from grice.middleware.stream.source import Taken

if TYPE_CHECKING:
    from grice.middleware.monitor.metrics import MonitorMetrics, Trimmed

_COUNTED: dict[Fate, str] = {
    "score": "scored",
    "user_turn": "user_turns",
    "sampled_out": "sampled_out",
    "duplicate": "duplicates",
    "dead": "dead",
}
_TRIMMED: dict[Trimmed, str] = {"events": "dropped", "results": "results_trimmed", "dead": "dead_trimmed"}


@dataclass
class WorkerCounts:
    """What became of the events that one process took since its start.

    Attributes:
        scored: responses of the bot whose result is in the results.
        sampled_out: responses of the bot that were left out by `sample`.
        user_turns: turns of users; they are history only.
        duplicates: events that had come before.
        dead: events that went to the dead letters.
        recovered: entries taken over that an earlier worker, or this one before it lost its lease, had left unfinished.
        retried: times that scoring a response was tried again.
        dropped: entries that Redis removed from the stream before they were scored: it was longer than its publishers allow.
        results_trimmed, dead_trimmed: entries that left those streams by their limit; whether anyone had read them is not known.
        leases_lost: times that another worker was free to take over a partition of this one.
        failures: times that Redis could not be used, or that something unforeseen went wrong.
    """

    scored: int = 0
    sampled_out: int = 0
    user_turns: int = 0
    duplicates: int = 0
    dead: int = 0
    recovered: int = 0
    retried: int = 0
    dropped: int = 0
    results_trimmed: int = 0
    dead_trimmed: int = 0
    leases_lost: int = 0
    failures: int = 0


class Tally:
    """Keeps the counts of one process.

    Args:
        metrics: what Prometheus reads; None: nothing.
        on_result: told each result once it is written; not told again, so a process that dies may miss one.
        shard: the number of the Redis server that the partitions are on.

    Attributes:
        counts: since the start of the process.
        unread: entries that wait in each partition that this process reads.
    """

    def __init__(
        self, metrics: MonitorMetrics | None = None, on_result: Callable[[ScoredResponse], None] | None = None, shard: int = 0
    ) -> None:
        self.counts = WorkerCounts()
        self.unread: dict[str, int] = {}
        self._metrics = metrics
        self._on_result = on_result
        self._shard = shard

    def count(self, name: str, number: int = 1) -> None:
        """Add to one of the counts."""
        if number:
            setattr(self.counts, name, getattr(self.counts, name) + number)
            if self._metrics is not None:
                self._metrics.event(name, number)

    def scoring(self, seconds: float) -> None:
        """A batch was scored."""
        if self._metrics is not None:
            self._metrics.batch(seconds)

    def taken(self, partition: str, taken: Taken) -> None:
        """Entries were taken from a partition."""
        self._trimmed("events", taken.dropped)
        self.unread[partition] = taken.unread
        if self._metrics is not None:
            self._metrics.stream(sum(self.unread.values()), len(taken.entries), self._shard)

    def written(self, finished: Sequence[Finished], outcomes: Sequence[CommitOutcome]) -> None:
        """Entries were finished. One that was `finished` before was so by this worker: it only did not hear the answer."""
        for each, outcome in zip(finished, outcomes, strict=True):
            if outcome.word == "duplicate":
                self.count("duplicates")
                continue
            self.count(_COUNTED[each.fate])
            self._trimmed("dead" if each.fate == "dead" else "results", outcome.trimmed)
            self._result(each)

    def _trimmed(self, stream: Trimmed, entries: int) -> None:
        self.count(_TRIMMED[stream], entries)
        if self._metrics is not None and entries:
            self._metrics.trimmed(stream, entries)

    def _result(self, finished: Finished) -> None:
        if finished.scored is not None and self._on_result is not None:
            self._on_result(finished.scored.response)
        if self._metrics is None:
            return
        if finished.failed is not None:
            self._metrics.dead_letter(finished.failed.error)
        if finished.unscored is not None:
            self._metrics.response(finished.unscored)
        if finished.scored is not None:
            self._metrics.response(finished.scored.response)
            self._metrics.judgements(finished.scored.judgements)
