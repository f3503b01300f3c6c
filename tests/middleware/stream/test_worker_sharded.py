"""A worker on two real Redis servers that share the dialogues."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_models import FakeBehaviors
from prometheus_client import CollectorRegistry, generate_latest
from redis_process import RedisServer, eventually
from worker_fixtures import EVENTS, QUICK, THRESHOLDS, conversation, pending, results, said

from grice.middleware.cli import Parser
from grice.middleware.cli.monitor import add_arguments, settings_of
from grice.middleware.events.redis_stream import RedisStreamPublisher, shard_of, stream_keys
from grice.middleware.monitor import Monitor
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.rates.redis import RedisRates
from grice.middleware.settings import ServiceSettings
from grice.middleware.stream import WorkerSettings
from grice.middleware.stream.sharded import ShardedWorker
from grice.models.errors import DeliveryError, SettingsError

DIALOGUES = [f"dialogue-{number}" for number in range(40)]
SCORED = {f"{name}-{turn}" for name in DIALOGUES for turn in (1, 3)}


@pytest.fixture
def servers(redis_server: RedisServer, tmp_path: Path) -> Iterator[tuple[RedisServer, RedisServer]]:
    binary = shutil.which("redis-server")
    assert binary is not None
    second = RedisServer(binary, tmp_path)
    second.start()
    yield redis_server, second
    second.kill()


def urls(servers: tuple[RedisServer, ...]) -> str:
    return " ".join(server.url for server in servers)


def publish(servers: tuple[RedisServer, ...], partitions: int = 1) -> None:
    publisher = RedisStreamPublisher(urls(servers), EVENTS, partitions=partitions)
    for turn in range(4):
        publisher.publish([conversation(name, 4)[turn] for name in DIALOGUES])
    publisher.close()


def worker_of(servers: tuple[RedisServer, ...], metrics: MonitorMetrics | None = None, **changes: Any) -> ShardedWorker:
    settings = WorkerSettings(redis_url=urls(servers), **{**QUICK, **changes})
    return ShardedWorker(Monitor(FakeBehaviors(), THRESHOLDS), settings, metrics)


@contextmanager
def working(worker: ShardedWorker) -> Iterator[None]:
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(30)
        assert not thread.is_alive()


def scored_on(server: RedisServer) -> list[str]:
    return [each.event_id for each in results(server)]


def test_each_dialogue_is_on_one_server_and_scored_there_once_in_order(servers: tuple[RedisServer, RedisServer]) -> None:
    publish(servers)
    worker_of(servers).run(once=True)
    first, second = map(scored_on, servers)
    assert sorted([*first, *second]) == sorted(SCORED)
    for found, shard in ((first, 0), (second, 1)):
        assert {each.rpartition("-")[0] for each in found} == {name for name in DIALOGUES if shard_of(name, 1, 2) == shard}
        for name in {each.rpartition("-")[0] for each in found}:
            assert [each for each in found if each.rpartition("-")[0] == name] == [f"{name}-1", f"{name}-3"]
        assert len(found) > 10
    assert [pending(server) for server in servers] == [0, 0]


def test_histories_are_whole(servers: tuple[RedisServer, RedisServer]) -> None:
    publisher = RedisStreamPublisher(urls(servers), EVENTS)
    publisher.publish([said(turn, name, "That is Red." if turn == 3 else None) for turn in range(4) for name in DIALOGUES])
    publisher.close()
    worker_of(servers).run(once=True)
    about = {each.dialogue_id: each.evidence for server in servers for each in results(server) if each.evidence}
    assert about == {name: {"Red": f"user turn 2 of {name}"} for name in DIALOGUES}


def test_partitions_of_every_server_are_used(servers: tuple[RedisServer, RedisServer]) -> None:
    publish(servers, partitions=3)
    worker_of(servers, events_partitions=3).run(once=True)
    assert {each for server in servers for each in scored_on(server)} == SCORED
    for server in servers:
        with server.client() as redis:
            assert all(redis.xlen(key) > 0 for key in stream_keys(EVENTS, 3))


def test_rates_are_those_of_all_servers(servers: tuple[RedisServer, RedisServer]) -> None:
    now = time.time()
    publisher = RedisStreamPublisher(urls(servers), EVENTS)
    publisher.publish([said(1, name, "That is Red.", timestamp=now) for name in DIALOGUES])
    publisher.close()
    worker_of(servers).run(once=True)
    counted = []
    for url in (urls(servers), *(server.url for server in servers)):
        rates = RedisRates(url, 5)
        counted.append(next(each.shown for each in rates.rates(3600) if each.behavior == "Red"))
        rates.close()
    assert counted[0] == sum(counted[1:]) == len(DIALOGUES)
    assert min(counted) > 0


def test_a_server_that_is_away_stops_only_its_own_dialogues(servers: tuple[RedisServer, RedisServer]) -> None:
    first, second = servers
    publish(servers)
    there = {each for each in SCORED if shard_of(each.rpartition("-")[0], 1, 2) == 0}
    second.kill()
    with working(worker_of(servers)):
        eventually(lambda: set(scored_on(first)) == there)
        second.start()  # keeps nothing, so its events are sent again, as senders do until they are taken
        publish(servers)
        eventually(lambda: {*scored_on(first), *scored_on(second)} == SCORED)
    assert sorted([*scored_on(first), *scored_on(second)]) == sorted(SCORED)


def test_a_sender_hears_that_a_server_is_away(servers: tuple[RedisServer, RedisServer]) -> None:
    servers[1].kill()
    with pytest.raises(DeliveryError):
        publish(servers)


def test_the_lag_is_that_of_all_servers(servers: tuple[RedisServer, RedisServer]) -> None:
    metrics = MonitorMetrics(CollectorRegistry())
    metrics.stream(5, 1, 0)
    metrics.stream(7, 2, 1)
    assert "grice_stream_lag 12.0" in generate_latest(metrics.registry).decode()
    publish(servers)
    worker_of(servers, metrics).run(once=True)
    assert "grice_stream_lag 0.0" in generate_latest(metrics.registry).decode()


def test_the_flag_is_given_once_a_server() -> None:
    parser = Parser()
    add_arguments(parser)
    given = parser.parse_args(["--redis-url", "redis://one", "--redis-url", "redis://two"])
    worker, monitor, _ = settings_of(given)
    assert (worker.redis_url, monitor.redis_url) == ("redis://one redis://two", "redis://one")
    assert "two" not in repr((worker, monitor, ServiceSettings(events_redis_url="redis://one redis://two")))


@pytest.mark.parametrize("given", ["", "redis://one redis://one"])
def test_a_server_twice_or_none_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="each another server"):
        ShardedWorker(Monitor(FakeBehaviors(), THRESHOLDS), WorkerSettings(redis_url=given))
