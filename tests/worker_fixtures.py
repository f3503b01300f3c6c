"""Workers on a real Redis, with models whose answers can be told from the text."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from event_fixtures import event
from fake_models import FakeBehaviors
from redis_process import RedisServer

from grice.middleware.event_delivery.redis_stream import RedisStreamPublisher
from grice.middleware.events import DialogueEvent
from grice.middleware.monitor import Monitor, ScoredResponse
from grice.middleware.monitor.stream import WorkerSettings
from grice.middleware.monitor.stream.worker import Worker
from grice.models.results import BEHAVIORS

EVENTS, RESULTS, DEAD = "grice:events", "grice:results", "grice:dead"
THRESHOLDS = dict.fromkeys(BEHAVIORS, 0.5)
QUICK = {"block_ms": 20, "retry_ms": 5, "max_retry_ms": 20, "redis_timeout_ms": 2000}


def said(number: int, dialogue_id: str = "d", text: str | None = None, **changes: Any) -> DialogueEvent:
    """An event of a dialogue where user and bot take turns, the user first."""
    speaker = "bot" if number % 2 else "user"
    return event(
        number, dialogue_id, **{"text": text or f"{speaker} turn {number} of {dialogue_id}", "speaker": speaker, **changes}
    )


def conversation(dialogue_id: str, turns: int) -> list[DialogueEvent]:
    return [said(number, dialogue_id) for number in range(turns)]


def publish(server: RedisServer, events: Sequence[DialogueEvent], maxlen: int = 100_000, partitions: int = 1) -> None:
    publisher = RedisStreamPublisher(server.url, EVENTS, maxlen, partitions=partitions)
    publisher.publish(events)
    publisher.close()


def worker_of(server: RedisServer, model: FakeBehaviors | None = None, monitor: Monitor | None = None, **changes: Any) -> Worker:
    monitor = monitor or Monitor(model or FakeBehaviors(), THRESHOLDS)
    return Worker(monitor, WorkerSettings(redis_url=server.url, **{**QUICK, **changes}))


def drained(server: RedisServer, model: FakeBehaviors | None = None, **changes: Any) -> Worker:
    """A worker that has done all that there is to do."""
    worker = worker_of(server, model, **changes)
    worker.run(once=True)
    return worker


@contextmanager
def working(worker: Worker) -> Iterator[Worker]:
    """The worker, at work in a thread; stopped in the end."""
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join(30)
        assert not thread.is_alive()


def results(server: RedisServer) -> list[ScoredResponse]:
    with server.client() as redis:
        return [ScoredResponse.from_json(fields[b"response"]) for _, fields in redis.xrange(RESULTS)]


def scored_ids(server: RedisServer) -> list[str]:
    return [each.event_id for each in results(server)]


def dead(server: RedisServer) -> list[dict[str, bytes]]:
    with server.client() as redis:
        return [{name.decode(): value for name, value in fields.items()} for _, fields in redis.xrange(DEAD)]


def pending(server: RedisServer) -> int:
    with server.client() as redis:
        return int(redis.xpending(EVENTS, "monitor")["pending"])
