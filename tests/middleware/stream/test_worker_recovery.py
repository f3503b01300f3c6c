"""Workers that die, hang, or come back after another has taken over."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_models import FakeBehaviors
from redis_process import RedisServer, eventually
from worker_fixtures import (
    EVENTS,
    conversation,
    dead,
    drained,
    pending,
    publish,
    said,
    scored_ids,
    worker_of,
    working,
)

from grice.models.dialogue import Dialogue

FIXTURES = Path(__file__).parents[2] / "fixtures"

LEASE = "grice:monitor:grice:events:monitor:lease:grice:events"
MEMBERS = "grice:monitor:grice:events:monitor:members"

DIES = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from fake_models import FakeBehaviors
from worker_fixtures import THRESHOLDS, QUICK
from grice.middleware.monitor import Monitor
from grice.middleware.stream import WorkerSettings
from grice.middleware.stream.worker import Worker

class Deadly(Monitor):
    def predict(self, dialogues, tenants=None):
        reports = super().predict(dialogues, tenants)
        if any("deadly" in dialogue.last.text for dialogue in dialogues):
            os.kill(os.getpid(), signal.SIGKILL)
        return reports

settings = WorkerSettings(redis_url=sys.argv[2], lease_ms=300, max_tries=int(sys.argv[3]), **QUICK)
Worker(Deadly(FakeBehaviors(), THRESHOLDS), settings).run(once=True)
"""


def dies(server: RedisServer, max_tries: int = 3) -> int:
    """Run a worker that dies after scoring a deadly response, before it can write anything; its exit status."""
    command = [sys.executable, "-c", DIES, str(FIXTURES), server.url, str(max_tries)]
    return subprocess.run(command, timeout=60, check=False).returncode


@pytest.fixture
def deadly(redis_server: RedisServer) -> RedisServer:
    """Three dialogues side by side; the fourth response of one ends the process that scores it."""
    told = [conversation(name, 12) for name in ("a", "b", "c")]
    told[1][7] = said(7, "b", text="How deadly.")
    publish(redis_server, [event for turn in zip(*told, strict=True) for event in turn])
    return redis_server


IN_ORDER = [f"{name}-{number}" for number in range(1, 12, 2) for name in "abc"]


def test_what_a_dead_worker_left_is_taken_over_in_order(deadly: RedisServer) -> None:
    assert dies(deadly) == -9
    assert pending(deadly) == 32
    assert scored_ids(deadly) == []
    worker = drained(deadly)
    assert scored_ids(deadly) == IN_ORDER
    assert worker.counts.recovered == 32
    with deadly.client() as redis:
        assert len(redis.xinfo_consumers(EVENTS, "monitor")) == 1


def test_a_response_that_ends_the_process_is_given_up_and_takes_no_other_with_it(deadly: RedisServer) -> None:
    statuses = [dies(deadly, max_tries=3) for _ in range(4)]
    assert statuses == [-9, -9, -9, 0]
    (letter,) = dead(deadly)
    assert (letter["error"], letter["tries"]) == (b"WorkerDied", b"3")
    assert b"How deadly." in letter["event"]
    assert scored_ids(deadly) == [each for each in IN_ORDER if each != "b-7"]
    assert pending(deadly) == 0


def test_the_turn_that_ends_the_process_is_kept_from_the_history(deadly: RedisServer) -> None:
    assert [dies(deadly, max_tries=1) for _ in range(2)] == [-9, -9]  # the second time alone
    model = FakeBehaviors()
    drained(deadly, model, max_tries=1)
    assert len(dead(deadly)) == 1
    asked = {dialogue.last.text: dialogue for batch in model.batches for dialogue in batch}
    assert len(asked["bot turn 9 of b"].turns) == 9
    assert len(asked["bot turn 9 of a"].turns) == 10


class Late(FakeBehaviors):
    """Waits in its first batch until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.gate.clear()
        self.arrived = threading.Event()

    def enter(self, dialogues: Sequence[Dialogue]) -> None:
        self.arrived.set()
        super().enter(dialogues)


def test_a_worker_that_lost_its_lease_writes_nothing(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 20))
    model = Late()
    with working(worker_of(redis_server, model, worker_batch_size=8)) as late:
        assert model.arrived.wait(20)
        with redis_server.client() as redis:
            redis.delete(LEASE, MEMBERS)  # as if it had been frozen for longer than its lease
        other = drained(redis_server)
        assert other.counts.recovered == 8
        model.gate.set()
        eventually(lambda: late.counts.leases_lost == 1)
        publish(redis_server, conversation("e", 4))
        eventually(lambda: len(scored_ids(redis_server)) == 12)
    assert scored_ids(redis_server) == [*(f"d-{number}" for number in range(1, 20, 2)), "e-1", "e-3"]
    assert (late.counts.scored, other.counts.scored) == (2, 10)


def test_a_slow_batch_keeps_its_lease(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 4))
    model = Late()
    with working(worker_of(redis_server, model, lease_ms=150)) as slow:
        assert model.arrived.wait(20)
        with working(worker_of(redis_server, lease_ms=150)) as other, redis_server.client() as redis:
            left, token = [redis.pttl(LEASE)], redis.get(LEASE)

            def renewed() -> bool:
                left.append(redis.pttl(LEASE))
                return left[-1] > left[-2]

            for _ in range(5):  # every 50 ms, so longer than the lease
                eventually(renewed)
            assert redis.get(LEASE) == token
            model.gate.set()
            eventually(lambda: slow.counts.scored == 2)
    assert (slow.counts.leases_lost, other.counts.scored) == (0, 0)


def test_a_worker_that_is_told_to_stop_finishes_its_batch(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 20))
    model = Late()
    with working(worker_of(redis_server, model, worker_batch_size=8)) as worker:
        assert model.arrived.wait(20)
        worker.stop()
        model.gate.set()
    assert scored_ids(redis_server) == ["d-1", "d-3", "d-5", "d-7"]
    assert pending(redis_server) == 0
    assert drained(redis_server).counts.recovered == 0


def test_a_stream_that_is_deleted_while_a_worker_has_entries_of_it_begins_anew(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 4))
    model = Late()
    with working(worker_of(redis_server, model)) as worker:
        assert model.arrived.wait(20)
        with redis_server.client() as redis:
            redis.delete(EVENTS)
        publish(redis_server, conversation("e", 4))
        model.gate.set()
        eventually(lambda: scored_ids(redis_server) == ["e-1", "e-3"])
        eventually(lambda: worker.counts.scored == 2)
    assert worker.counts.dropped == 0


def test_a_worker_that_is_stuck_is_replaced(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    publish(redis_server, conversation("d", 4))
    model = Late()
    with working(worker_of(redis_server, model, lease_ms=150, stuck_s=0.2)) as stuck:
        assert model.arrived.wait(20)
        with working(worker_of(redis_server)) as other:
            eventually(lambda: other.counts.scored == 2)
        model.gate.set()
        eventually(lambda: stuck.counts.leases_lost == 1)
    assert scored_ids(redis_server) == ["d-1", "d-3"]
    assert "the worker is stuck" in caplog.text


def test_entries_that_were_removed_while_a_worker_had_them_are_counted(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 4))
    model = Late()
    with working(worker_of(redis_server, model)) as late:
        assert model.arrived.wait(20)
        with redis_server.client() as redis:
            redis.delete(LEASE, MEMBERS)
            redis.xtrim(EVENTS, maxlen=1, approximate=False)
        other = drained(redis_server)
        model.gate.set()
        eventually(lambda: late.counts.leases_lost == 1)
    assert (other.counts.dropped, other.counts.recovered) == (3, 1)
    assert scored_ids(redis_server) == ["d-3"]
