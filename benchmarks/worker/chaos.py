"""Is every event scored, and none twice, while workers are killed and Redis is restarted?

    python -m grice.benchmarks.worker.chaos --events 10000 --kills 20 --redis-restarts 2

Workers run as processes of their own with a model that costs a fixed time. While a publisher adds the events (`--events` responses
of the bot and as many user turns; every tenth batch, and what Redis did not confirm, is added again), workers are killed with
SIGKILL and started anew, and Redis (AOF, `appendfsync always`) is restarted, by SIGTERM and by SIGKILL in turn: after numbers of
results that are drawn at random, spread over all. Ends with status 1 unless everything is as it should be.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import redis

from grice.benchmarks.worker.chaos_check import RESULTS, STREAM, ChaosOutcome, check
from grice.benchmarks.worker.local_redis import LocalRedis
from grice.benchmarks.worker.processes import WorkerProcesses
from grice.middleware.events.event import DialogueEvent
from grice.middleware.events.redis_stream import RedisStreamPublisher
from grice.models.errors import DeliveryError, ModelError

PAIRS = 10
"""User turns, and responses, of a dialogue."""
LEASE_MS = 1000
BATCH, AHEAD, AGAIN = 50, 150, 10
"""Events that are added at once, responses that may wait for their result, and of how many batches one is added twice."""
STUCK_S = 120.0
"""Seconds without any new result after which the run is given up."""


@dataclass(frozen=True)
class Plan:
    """What happens.

    Attributes:
        events: responses of the bot; as many user turns come with them.
        kills: of the worker at work. restarts: of Redis.
        workers: processes at a time. partitions: of the stream.
        cost_ms: what a response costs the model.
    """

    events: int = 10_000
    kills: int = 20
    restarts: int = 2
    workers: int = 1
    partitions: int = 1
    cost_ms: float = 2.0
    seed: int = 0


def run(plan: Plan, folder: Path) -> ChaosOutcome:
    """Carry the plan out; logs of the workers are written to the folder.

    Raises:
        ModelError: redis-server is not installed, or nothing moved for `STUCK_S` seconds.
    """
    begun = time.monotonic()
    with LocalRedis(folder) as server, _workers(plan, server.url, folder) as workers:
        publishing = threading.Thread(target=_publish, args=(plan, server))
        publishing.start()
        for results, action in _schedule(plan):
            _wait_for(server, results)
            if action == "kill":
                workers.kill_one()
            else:
                server.restart(signal.SIGTERM if action == "restart" else signal.SIGKILL)
        publishing.join()
        _wait_for(server, plan.events)
        workers.stop()  # so that what it has in hand is finished too
        asked = {event.event_id for event in _events(plan) if event.speaker == "bot"}
        seconds = round(time.monotonic() - begun, 1)
        return check(server, asked, plan.partitions, kills=plan.kills, restarts=plan.restarts, seconds=seconds)


def _schedule(plan: Plan) -> list[tuple[int, str]]:
    """After how many results what is done: kills spread over all, each somewhere in its part; restarts in the same way."""
    chance = random.Random(plan.seed)
    names = ["restart", "restart at once"] * plan.restarts
    whats = (["kill"] * plan.kills, names[: plan.restarts])
    return sorted(
        (int(plan.events * (number + chance.random()) / len(what)), name) for what in whats for number, name in enumerate(what)
    )


def _workers(plan: Plan, url: str, folder: Path) -> WorkerProcesses:
    settings = {
        "REDIS_URL": url,
        "EVENTS_PARTITIONS": plan.partitions,
        "LEASE_MS": LEASE_MS,
        "BLOCK_MS": 100,
        "MAX_RETRY_MS": 500,
        "REPORT_S": 5,
        "RESULTS_MAXLEN": 10 * plan.events,
    }
    return WorkerProcesses(plan.workers, plan.cost_ms, settings, folder)


def _wait_for(server: LocalRedis, count: int) -> None:
    seen, end = -1, time.monotonic() + STUCK_S
    while seen < count:
        now = _results(server)
        if now > seen:
            seen, end = now, time.monotonic() + STUCK_S
        if time.monotonic() > end:
            raise ModelError(f"no new result for {STUCK_S:.0f} s at {seen} of {count}")
        time.sleep(0.005)


def _results(server: LocalRedis) -> int:
    with server.client() as client:
        try:
            return int(client.xlen(RESULTS))
        except redis.RedisError:
            return -1


def _events(plan: Plan) -> Iterator[DialogueEvent]:
    """Dialogues that go on side by side, ten at a time."""
    now = time.time()
    count = -(-plan.events // PAIRS)
    left = plan.events
    for first in range(0, count, 10):
        for turn in range(2 * PAIRS):
            for number in range(first, min(first + 10, count)):
                name = f"dialogue-{number}"
                speaker: Any = "bot" if turn % 2 else "user"
                if speaker == "bot":
                    left -= 1
                if left >= 0:
                    yield DialogueEvent(f"{name}.{turn}", name, speaker, f"Turn {turn} of {name}.", now)


def _publish(plan: Plan, server: LocalRedis) -> None:
    """Add all events, a little ahead of the results. Some batches are added twice, as after a lost answer."""
    publisher = RedisStreamPublisher(server.url, STREAM, maxlen=10 * plan.events, partitions=plan.partitions)
    events = list(_events(plan))
    for start in range(0, len(events), BATCH):
        batch = events[start : start + BATCH]
        _wait_for(server, start // 2 - AHEAD)
        _deliver(publisher, batch)
        if start // BATCH % AGAIN == 0:
            _deliver(publisher, batch)
    publisher.close()


def _deliver(publisher: RedisStreamPublisher, batch: Sequence[DialogueEvent]) -> None:
    while batch:
        try:
            publisher.publish(batch)
            return
        except DeliveryError:
            time.sleep(0.05)


def main() -> int:
    """Run, print what was found as JSON; 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--redis-restarts", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--partitions", type=int, default=1)
    parser.add_argument("--cost-ms", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    plan = Plan(args.events, args.kills, args.redis_restarts, args.workers, args.partitions, args.cost_ms, args.seed)
    with tempfile.TemporaryDirectory(prefix="grice-chaos-") as folder:
        found = run(plan, Path(folder))
    print(json.dumps(asdict(found), indent=2))
    return 0 if found.good else 1


if __name__ == "__main__":
    sys.exit(main())
