"""Several workers: a stream in parts, each part with one worker at a time."""

from __future__ import annotations

import contextlib

import pytest
from redis_process import RedisServer, eventually
from worker_fixtures import EVENTS, conversation, drained, publish, results, worker_of, working

from grice.middleware.events import DeliverySettings, open_publisher
from grice.middleware.events.event import DialogueEvent
from grice.middleware.events.redis_stream import stream_key, stream_keys
from grice.middleware.stream.worker import Worker
from grice.models.errors import SettingsError

NAMES = [f"dialogue-{number}" for number in range(30)]


def side_by_side(turns: range) -> list[DialogueEvent]:
    return [conversation(name, turns.stop)[turn] for turn in turns for name in NAMES]


def told(server: RedisServer) -> dict[str, list[str]]:
    """The results of each dialogue, in order."""
    found: dict[str, list[str]] = {}
    for result in results(server):
        found.setdefault(result.dialogue_id, []).append(result.event_id)
    return found


def expected(turns: int) -> dict[str, list[str]]:
    return {name: [f"{name}-{number}" for number in range(1, turns, 2)] for name in NAMES}


def test_a_dialogue_is_in_one_partition() -> None:
    assert stream_keys("events", 1) == ["events"]
    assert stream_keys("events", 3) == ["events:0", "events:1", "events:2"]
    assert stream_key("events", "anything", 1) == "events"
    assert stream_key("events", "dialogue-1", 4) == "events:1"  # pinned: another number would break the order of a dialogue
    assert {stream_key("events", name, 4) for name in NAMES} == set(stream_keys("events", 4))


def test_publishers_write_to_the_partition_of_the_dialogue(redis_server: RedisServer) -> None:
    settings = DeliverySettings("redis", redis_url=redis_server.url, stream=EVENTS, partitions=4)
    publisher = open_publisher(settings)
    publisher.publish(side_by_side(range(2)))
    publisher.close()
    with redis_server.client() as redis:
        found = {
            key: {DialogueEvent.from_json(fields[b"event"]).dialogue_id for _, fields in redis.xrange(key)}
            for key in stream_keys(EVENTS, 4)
        }
    assert found == {key: {name for name in NAMES if stream_key(EVENTS, name, 4) == key} for key in found}
    with pytest.raises(SettingsError, match="partitions: got 257; allowed: 1 to 256"):
        DeliverySettings("redis", partitions=257)
    with pytest.raises(SettingsError, match="partitions: got 'a value'; allowed: only with another transport"):
        DeliverySettings.of({"transport": "http", "partitions": 2})


def test_one_worker_reads_all_partitions(redis_server: RedisServer) -> None:
    publish(redis_server, side_by_side(range(6)), partitions=4)
    worker = drained(redis_server, events_partitions=4)
    assert told(redis_server) == expected(6)
    assert worker.counts.scored == 90


def owned(worker: Worker) -> int:
    return len(worker.owned())


def test_workers_share_the_partitions_and_take_over_from_each_other(redis_server: RedisServer) -> None:
    def start() -> Worker:
        return worker_of(redis_server, events_partitions=4, lease_ms=500)

    with contextlib.ExitStack() as second_and_third, working(start()) as first:
        eventually(lambda: owned(first) == 4)
        second = second_and_third.enter_context(working(start()))
        eventually(lambda: (owned(first), owned(second)) == (2, 2))
        publish(redis_server, side_by_side(range(6)), partitions=4)
        third = second_and_third.enter_context(working(start()))
        workers = (first, second, third)
        eventually(lambda: all(owned(worker) for worker in workers) and sum(map(owned, workers)) == 4)
        publish(redis_server, side_by_side(range(6, 12)), partitions=4)
        eventually(lambda: sum(worker.counts.scored for worker in workers) == 180)
        second_and_third.close()
        eventually(lambda: owned(first) == 4)
        publish(redis_server, side_by_side(range(12, 14)), partitions=4)
        eventually(lambda: sum(worker.counts.scored for worker in workers) == 210)
    assert told(redis_server) == expected(14)
    assert [worker.counts.leases_lost for worker in workers] == [0, 0, 0]


@pytest.mark.parametrize("partitions", [1, 2])
def test_more_workers_than_partitions_stand_by(redis_server: RedisServer, partitions: int) -> None:
    workers = [worker_of(redis_server, events_partitions=partitions, lease_ms=500) for _ in range(3)]
    with contextlib.ExitStack() as stack:
        for worker in workers:
            stack.enter_context(working(worker))
        publish(redis_server, side_by_side(range(6)), partitions=partitions)
        eventually(lambda: sum(worker.counts.scored for worker in workers) == 90)
    assert told(redis_server) == expected(6)
