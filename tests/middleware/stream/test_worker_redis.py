"""The worker when Redis is away, comes back empty, or refuses."""

from __future__ import annotations

import logging

import pytest
from redis_process import RedisServer, eventually
from worker_fixtures import EVENTS, RESULTS, conversation, dead, publish, said, scored_ids, worker_of, working

TURNS = ["d-1", "d-3"]


def test_redis_may_be_down_at_the_start(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    redis_server.kill()
    with caplog.at_level(logging.INFO), working(worker_of(redis_server)) as worker:
        eventually(lambda: worker.counts.failures > 2)
        redis_server.start()
        publish(redis_server, conversation("d", 4))
        eventually(lambda: worker.counts.scored == 2)
    assert scored_ids(redis_server) == TURNS
    messages = [record.getMessage() for record in caplog.records]
    assert messages.count("the worker cannot go on; it tries again until it can") == 1
    assert messages.count("the worker goes on") == 1
    assert "turn 1 of d" not in caplog.text


def test_redis_may_come_back_empty(redis_server: RedisServer) -> None:
    publish(redis_server, conversation("d", 4))
    with working(worker_of(redis_server)) as worker:
        eventually(lambda: worker.counts.scored == 2)
        redis_server.kill()
        redis_server.start()  # keeps nothing
        publish(redis_server, conversation("d", 4))
        eventually(lambda: worker.counts.scored == 4)
        eventually(lambda: scored_ids(redis_server) == TURNS)
        with redis_server.client() as redis:
            redis.delete(EVENTS)  # and with it the group
        publish(redis_server, [said(4), said(5)])
        eventually(lambda: scored_ids(redis_server) == [*TURNS, "d-5"])
    assert worker.counts.dropped == 0


def test_a_worker_that_is_told_to_stop_while_redis_is_away_stops(redis_server: RedisServer) -> None:
    with working(worker_of(redis_server, max_retry_ms=60_000, retry_ms=60_000)) as worker:
        redis_server.kill()
        eventually(lambda: worker.counts.failures > 0)


def test_a_key_that_holds_something_else_is_waited_for(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    with redis_server.client() as redis:
        redis.set(RESULTS, "a text")
    publish(redis_server, conversation("d", 4))
    with working(worker_of(redis_server)) as worker:
        eventually(lambda: worker.counts.failures > 5)
        with redis_server.client() as redis:
            redis.delete(RESULTS)
        eventually(lambda: worker.counts.scored == 2)
    assert scored_ids(redis_server) == TURNS
    assert not dead(redis_server)
    (record,) = [record for record in caplog.records if "cannot go on" in record.getMessage()]
    assert "WRONGTYPE" in vars(record)["said"]


def test_a_partition_that_cannot_be_read_does_not_stop_the_others(redis_server: RedisServer) -> None:
    with redis_server.client() as redis:
        redis.set(f"{EVENTS}:0", "a text")
    publish_to_one(redis_server)
    with working(worker_of(redis_server, events_partitions=2)) as worker:
        eventually(lambda: worker.counts.scored == 1)
        with redis_server.client() as redis:
            redis.delete(f"{EVENTS}:0")
        publish(redis_server, [said(1, f"dialogue-{number}") for number in range(20)], partitions=2)
        eventually(lambda: worker.counts.scored == 21)


def publish_to_one(server: RedisServer) -> None:
    with server.client() as redis:
        redis.xadd(f"{EVENTS}:1", {"event": said(1, "alone").to_json()})
