"""Events into a real Redis stream, which goes away and comes back."""

from __future__ import annotations

import logging
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from event_fixtures import event, spool, spooled
from live_service import RedisServer, eventually

from grice.middleware.events import Delivery, DeliverySettings, open_publisher
from grice.middleware.events.event import DialogueEvent
from grice.middleware.events.spool import Spool
from grice.models.errors import SettingsError

__all__ = ["spool"]

STREAM = "grice:events"

Make = Callable[..., Delivery]


@pytest.fixture
def make(spool: Path, redis_server: RedisServer) -> Iterator[Make]:
    """Makes deliveries into the Redis stream, started; closes them in the end."""
    made: list[Delivery] = []

    def delivery(**changes: Any) -> Delivery:
        values = {"transport": "redis", "redis_url": redis_server.url, "spool_path": str(spool), "retry_ms": 20, "max_retry_ms": 50}
        settings = DeliverySettings.of({**values, **changes})
        made.append(Delivery(open_publisher(settings), settings))
        made[-1].start()
        return made[-1]

    yield delivery
    for each in made:
        each.close()


def arrived(server: RedisServer) -> list[str]:
    """The ids of what is in the stream, each once, in the order in which they came first."""
    with server.client() as redis:
        found = [DialogueEvent.from_json(fields[b"event"]).event_id for _, fields in redis.xrange(STREAM)]
    return list(dict.fromkeys(found))


def ids(count: int, first: int = 0) -> list[str]:
    return [f"d-{number}" for number in range(first, first + count)]


def test_events_arrive_in_order_and_whole(make: Make, redis_server: RedisServer, spool: Path) -> None:
    delivery = make(batch_size=7)
    sent = [event(number, metadata={"grice": {"label": "direct"}}, channel="rest") for number in range(50)]
    for each in sent:
        delivery.put(each)
    eventually(lambda: len(arrived(redis_server)) == 50)
    with redis_server.client() as redis:
        assert [DialogueEvent.from_json(fields[b"event"]) for _, fields in redis.xrange(STREAM)] == sent
    eventually(lambda: delivery.counts.delivered == 50)  # counted after it has arrived
    assert not spool.exists()


def test_a_redis_that_is_down_costs_the_caller_nothing_and_gets_everything_later(
    make: Make, redis_server: RedisServer, spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    delivery = make()
    delivery.put(event(0))
    eventually(lambda: arrived(redis_server) == ids(1))
    redis_server.kill()
    started = time.monotonic()
    for number in range(1, 200):
        delivery.put(event(number))
    assert time.monotonic() - started < 2
    eventually(lambda: any("Secret turn 199." in line for line in spooled(spool)))
    assert {stat.S_IMODE(path.stat().st_mode) for path in spool.parent.glob("spool*")} == {0o600}
    redis_server.start()
    for number in range(200, 210):
        delivery.put(event(number))
    eventually(lambda: len(arrived(redis_server)) == 209)
    assert arrived(redis_server) == ids(209, 1)  # this Redis started empty
    eventually(lambda: not spooled(spool))
    assert (delivery.counts.lost, delivery.counts.refused) == (0, 0)
    assert delivery.counts.spooled >= 199
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert any("events cannot be delivered" in message and "ConnectionError" in message for message in errors)
    assert "Secret" not in caplog.text


def test_what_waits_at_the_end_is_delivered(make: Make, redis_server: RedisServer, spool: Path) -> None:
    delivery = make()
    for number in range(300):
        delivery.put(event(number))
    delivery.close()
    assert arrived(redis_server) == ids(300)
    assert not spool.exists()


def test_what_cannot_be_delivered_at_the_end_is_delivered_by_the_next_process(
    make: Make, redis_server: RedisServer, spool: Path
) -> None:
    redis_server.kill()
    delivery = make(close_ms=200)
    for number in range(5):
        delivery.put(event(number))
    delivery.close()
    delivery.put(event(5))
    assert (delivery.counts.delivered, delivery.counts.spooled, delivery.counts.lost) == (0, 6, 0)
    assert {stat.S_IMODE(path.stat().st_mode) for path in spool.parent.glob("spool*")} == {0o600}
    redis_server.start()
    make()
    eventually(lambda: arrived(redis_server) == ids(6))
    eventually(lambda: not spooled(spool))


def test_closing_twice_and_closing_in_a_hurry(make: Make, redis_server: RedisServer) -> None:
    redis_server.kill()
    delivery = make(close_ms=1, timeout_ms=1)
    delivery.put(event(0))
    started = time.monotonic()
    delivery.close()
    delivery.close()
    assert time.monotonic() - started < 2
    redis_server.start()
    make()
    eventually(lambda: arrived(redis_server) == ids(1))


class Stuck:
    """A publisher whose receiver does not answer until it is told to."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.sent: list[str] = []
        self.asked = 0

    def publish(self, events: Any) -> None:
        self.asked += 1
        assert self.gate.wait(30)
        self.sent += [each.event_id for each in events]

    def close(self) -> None:
        """Nothing."""


def test_a_full_queue_goes_to_the_spool_in_order(spool: Path, caplog: pytest.LogCaptureFixture) -> None:
    publisher = Stuck()
    delivery = Delivery(publisher, DeliverySettings("redis", queue_size=10, batch_size=4, spool_path=str(spool), retry_ms=5))
    delivery.start()
    delivery.put(event(0))
    eventually(lambda: publisher.asked == 1)
    for number in range(1, 35):
        delivery.put(event(number))
    assert delivery.counts.spooled == 33
    publisher.gate.set()
    eventually(lambda: len(set(publisher.sent)) == 35)
    assert list(dict.fromkeys(publisher.sent)) == ids(35)
    delivery.close()
    assert delivery.counts.lost == 0
    assert any("the queue was full" in record.getMessage() for record in caplog.records)
    assert "Secret" not in caplog.text


def test_a_spool_that_is_full_or_cannot_be_written_is_said_and_counted(
    make: Make, redis_server: RedisServer, spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    redis_server.kill()
    delivery = make(spool_max_bytes=1000, close_ms=100)
    for number in range(50):
        delivery.put(event(number))
    delivery.close()
    assert delivery.counts.lost > 0
    assert delivery.counts.lost + delivery.counts.spooled == 50
    assert "are LOST" in caplog.text
    caplog.clear()
    folder = spool.parent / "folder"
    folder.mkdir()
    delivery = make(spool_path=str(folder / "spool"), close_ms=100)
    folder.rmdir()
    delivery.put(event(0))
    delivery.close()
    assert (delivery.counts.lost, delivery.counts.spooled) == (1, 0)
    assert "are LOST" in caplog.text
    assert "FileNotFoundError" in caplog.text


def test_lines_of_the_spool_that_are_no_events_are_put_aside(make: Make, redis_server: RedisServer, spool: Path) -> None:
    spool.with_suffix(".jsonl").write_text(f"{event(0).to_json()}\nhalf a li")  # as an earlier version left it
    redis_server.kill()
    first = make(close_ms=100)
    first.put(event(1))
    first.close()
    redis_server.start()
    delivery = make()
    eventually(lambda: delivery.counts.refused == 1)  # put aside after the others have arrived
    assert arrived(redis_server) == ids(2)
    assert spool.with_name(spool.name + ".refused").read_text() == "half a li\n"
    assert not spool.with_suffix(".jsonl").exists()


PROCESS = """
import sys
from grice.middleware.events import Delivery, DeliverySettings, open_publisher
from grice.middleware.events.event import DialogueEvent
name, url, path = sys.argv[1:]
settings = DeliverySettings.of({"transport": "redis", "redis_url": url, "spool_path": path, "retry_ms": 20, "close_ms": 100})
delivery = Delivery(open_publisher(settings), settings)
delivery.start()
for number in range(100):
    delivery.put(DialogueEvent(f"{name}-{number}", name, "user", "Hello.", 1.0))
"""


def test_processes_share_a_spool_and_end_without_closing(make: Make, redis_server: RedisServer, spool: Path) -> None:
    redis_server.kill()
    started = [
        subprocess.Popen([sys.executable, "-c", PROCESS, name, redis_server.url, str(spool)], stderr=subprocess.DEVNULL)
        for name in ("one", "two", "three")
    ]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    redis_server.start()
    make()
    make()
    eventually(lambda: len(arrived(redis_server)) == 300)
    found = arrived(redis_server)
    for name in ("one", "two", "three"):
        assert [each for each in found if each.startswith(name)] == [f"{name}-{number}" for number in range(100)]


def test_a_key_of_another_kind_in_redis_is_an_error_that_says_so(make: Make, redis_server: RedisServer) -> None:
    with redis_server.client() as redis:
        redis.set(STREAM, "text")
    delivery = make()
    delivery.put(event(0))
    eventually(lambda: delivery.counts.spooled == 1)
    with redis_server.client() as redis:
        redis.delete(STREAM)
    eventually(lambda: arrived(redis_server) == ids(1))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "setting transport: got None; allowed: redis, http"),
        ({"transport": "kafka"}, "setting transport: got 'kafka'; allowed: redis, http"),
        ({"transport": "redis", "queue": 5}, "setting queue: got 'a value'; allowed: no such key; there are: transport, redis_url"),
        ({"transport": "redis", "url": "http://a"}, "setting url: got 'a value'; allowed: only with another transport than redis"),
        ({"transport": "http", "stream": "a"}, "setting stream: got 'a value'; allowed: only with another transport than http"),
        (
            {"transport": "http", "url": "localhost:8300"},
            "setting url: got 'localhost:8300'; allowed: a URL that starts with http://",
        ),
        ({"transport": "http", "api_key": "secré"}, "setting api_key: got 'a value that is not shown'; allowed: printable ASCII"),
        ({"transport": "redis", "batch_size": 65}, "setting batch_size: got 65; allowed: 1 to 64"),
        ({"transport": "redis", "queue_size": 0}, "setting queue_size: got 0"),
        ({"transport": "redis", "maxlen": "many"}, "setting maxlen: got 'many'"),
        ({"transport": "redis", "stream": ""}, "setting stream: got ''"),
        (
            {"transport": "redis", "spool_path": "nowhere/at/all"},
            "setting spool_path: got 'nowhere/at/all'; allowed: the path of a file",
        ),
        ({"transport": "redis", "spool_path": "."}, "setting spool_path: got '.'"),
        ({"transport": "redis", "timeout_ms": True}, "setting timeout_ms: got True"),
    ],
)
def test_settings_that_cannot_be_used_are_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        DeliverySettings.of(values)
    assert message in str(caught.value)


def test_a_redis_url_of_another_kind_is_refused() -> None:
    with pytest.raises(SettingsError, match="redis_url: got 'http'; allowed: a URL that starts with redis://"):
        open_publisher(DeliverySettings("redis", redis_url="http://user:hidden@localhost"))


def test_keys_and_passwords_are_not_printed() -> None:
    settings = DeliverySettings("http", api_key="hidden", redis_url="redis://user:hidden@localhost")
    assert "hidden" not in repr(settings)


def test_a_thread_that_outlives_closing_leaves_the_spool_to_others(spool: Path) -> None:
    publisher = Stuck()
    delivery = Delivery(publisher, DeliverySettings("redis", spool_path=str(spool), close_ms=1, retry_ms=5))
    Spool(spool).add([event(0).to_json()])
    delivery.start()
    eventually(lambda: publisher.asked == 1)
    delivery.close()
    other = Spool(spool)
    assert other.oldest(1) == []
    publisher.gate.set()
    eventually(lambda: not spooled(spool))
    other.add(["next"])
    eventually(lambda: other.oldest(1) == [b"next"])
