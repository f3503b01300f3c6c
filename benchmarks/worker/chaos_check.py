"""What came out of `grice.benchmarks.worker.chaos`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grice.benchmarks.worker.local_redis import LocalRedis
from grice.middleware.events.redis_stream import stream_keys
from grice.middleware.monitor import ScoredResponse
from grice.middleware.rates.redis import RedisRates

STREAM, GROUP, RESULTS, DEAD = "grice:events", "monitor", "grice:results", "grice:dead"


@dataclass(frozen=True)
class ChaosOutcome:
    """What came out; all but the first three should be 0.

    Attributes:
        events, results: that were to be scored, that are in the results.
        kills, restarts: that took place.
        published_again: entries of the stream that repeat an event.
        missing, twice: events without a result, and surplus results.
        order: results of a dialogue before one of an earlier event.
        history: results whose history was not all turns before it.
        dead, pending, dropped: entries in the dead letters, left unfinished, lost.
        miscounted: difference between the responses in the rates and the events.
    """

    events: int
    results: int
    kills: int
    restarts: int
    published_again: int
    seconds: float
    missing: int
    twice: int
    order: int
    history: int
    dead: int
    pending: int
    dropped: int
    miscounted: int

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        wrong = (self.missing, self.twice, self.order, self.history, self.dead, self.pending, self.dropped, self.miscounted)
        return not any(wrong)


def check(server: LocalRedis, asked: set[str], partitions: int, **happened: Any) -> ChaosOutcome:
    """What is in Redis, held against the ids of the events that were to be scored; `happened` is the rest of `Found`."""
    with server.client() as client:
        rows = [ScoredResponse.from_json(fields[b"response"]) for _, fields in client.xrange(RESULTS)]
        keys = stream_keys(STREAM, partitions)
        ids = [json.loads(fields[b"event"])["event_id"] for key in keys for _, fields in client.xrange(key)]
        pending = sum(int(client.xpending(key, GROUP)["pending"]) for key in keys)
        lost = [client.hget(f"grice:monitor:{STREAM}:{GROUP}:position:{key}", "dropped") for key in keys]
        dead = int(client.xlen(DEAD))
    scored = Counter(row.event_id for row in rows)
    rates = RedisRates(server.url, 5.0)
    counted = rates.rates(86_400)[0].scored
    rates.close()
    return ChaosOutcome(
        events=len(asked),
        results=len(rows),
        published_again=len(ids) - len(set(ids)),
        missing=len(asked - set(scored)),
        twice=sum(scored.values()) - len(scored),
        order=_disorder(rows),
        history=sum(not _history_is_whole(row) for row in rows),
        dead=dead,
        pending=pending,
        dropped=sum(int(each or 0) for each in lost),
        miscounted=abs(counted - len(asked)),
        **happened,
    )


def _disorder(rows: Sequence[ScoredResponse]) -> int:
    newest: dict[str, int] = {}
    wrong = 0
    for row in rows:
        turn = _turn_of(row)
        wrong += turn <= newest.get(row.dialogue_id, -1)
        newest[row.dialogue_id] = turn
    return wrong


def _history_is_whole(row: ScoredResponse) -> bool:
    """The model tells the length of the history, and the newest turn of it."""
    turn = _turn_of(row)
    told = row.probabilities["Ign"], row.evidence.get("Red")
    return told == (turn / 1000, f"Turn {turn - 1} of {row.dialogue_id}.")


def _turn_of(row: ScoredResponse) -> int:
    return int(row.event_id.rpartition(".")[2])
