"""What `/health` of a worker says, on a real Redis."""

from __future__ import annotations

import httpx
import pytest
from fake_models import FakeBehaviors
from prometheus_client import CollectorRegistry
from redis_process import RedisServer, eventually
from worker_fixtures import QUICK, publish, said, worker_of, working

from grice.middleware.monitor import Monitor
from grice.middleware.serving.probes import Health, ProbeServer
from grice.middleware.stream import WorkerSettings, worker
from grice.middleware.stream.health import WorkerHealth
from grice.middleware.stream.sharded import ShardedWorker

WELL = {"status": "well", "redis": "writable", "worker": "well"}


def health_of(server: RedisServer, at_work: worker.Worker) -> WorkerHealth:
    settings = WorkerSettings(redis_url=server.url, **QUICK)
    whole = ShardedWorker(Monitor(FakeBehaviors(), {}), settings)
    whole.workers = [at_work]
    return WorkerHealth(whole, settings)


def test_a_worker_is_well_as_long_as_its_redis_can_be_written(redis_server: RedisServer) -> None:
    with working(worker_of(redis_server)) as at_work:
        health = health_of(redis_server, at_work)
        eventually(lambda: health.look() == Health(True, WELL))
        with redis_server.client() as redis:
            redis.config_set("min-replicas-to-write", 1)  # it answers pings, and refuses writes
            found = health.look()
            assert (found.is_well, found.told["status"], found.told["redis"]) == (False, "unwell", "ResponseError")
            redis.config_set("min-replicas-to-write", 0)
        assert health.look().is_well
        redis_server.kill()
        found = health.look()
        assert (found.is_well, found.told["redis"]) == (False, "ConnectionError")
        redis_server.start()
        assert health.look().is_well
        health.close()


def test_a_worker_that_is_stuck_or_fails_for_long_is_not_well(redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    model = FakeBehaviors()
    model.gate.clear()
    with working(worker_of(redis_server, model, stuck_s=0.2)) as at_work:
        health = health_of(redis_server, at_work)
        publish(redis_server, [said(1)])
        eventually(lambda: health.look().told["worker"] == "stuck")
        model.gate.set()
        eventually(lambda: health.look().is_well)
        monkeypatch.setattr(worker, "TROUBLE_S", 0.05)
        with redis_server.client() as redis:
            redis.set("grice:events", "not a stream")
            eventually(lambda: health.look() == Health(False, {**WELL, "status": "unwell", "worker": "failing"}))
            redis.delete("grice:events")
        eventually(lambda: health.look().is_well)
        health.close()


def test_the_port_answers() -> None:
    told = {"status": "well"}
    found = [Health(True, told), Health(False, {"status": "unwell"})]
    probes = ProbeServer("127.0.0.1", 0, CollectorRegistry(), lambda: found.pop(0))
    probes.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{probes.port}", trust_env=False, timeout=60) as client:
        answers = [client.get(path) for path in ("/health", "/health", "/health/live", "/metrics", "/other")]
    probes.close()
    assert [each.status_code for each in answers] == [200, 503, 200, 200, 404]
    assert [each.json()["status"] for each in answers[:3]] == ["well", "unwell", "live"]
    for answer in answers[:4]:
        assert (answer.headers["x-content-type-options"], answer.headers["cache-control"]) == ("nosniff", "no-store")
