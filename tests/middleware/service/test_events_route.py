"""POST /v1/events on a real server, both stores, and a real Redis stream."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fake_models import fakes
from live_service import RedisServer, eventually, serving

from grice.middleware.events.event import MAX_EVENT_BYTES, DialogueEvent
from grice.middleware.service.capabilities.wire import Wire
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

STREAM = "grice:test-events"


@pytest.fixture(params=["memory", "redis"])
def client(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    settings = ServiceSettings()
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        settings = ServiceSettings(store="redis", redis_url=server.url)
    with serving(create_app(fakes(), settings)) as client:
        yield client


def event(number: int = 1, **changes: Any) -> dict[str, Any]:
    speaker = "user" if number % 2 else "bot"
    plain = {
        "event_id": f"e{number}",
        "dialogue_id": "d",
        "speaker": speaker,
        "text": f"Turn {number}.",
        "timestamp": 1000.5 + number,
    }
    return {**plain, **changes}


def post(client: httpx.Client, body: object, status: int = 200) -> dict[str, Any]:
    response = client.post("/v1/events", json=body)
    assert response.status_code == status, response.text
    answer: dict[str, Any] = response.json()
    return answer


def texts(client: httpx.Client, dialogue_id: str = "d") -> list[str]:
    response = client.get(f"/v1/dialogues/{dialogue_id}")
    return [turn["text"] for turn in response.json()["turns"]] if response.status_code == 200 else []


def test_an_event_is_kept_once(client: httpx.Client) -> None:
    assert post(client, event()) == {"schema_version": 1, "event_id": "e1", "kept": True}
    assert post(client, event()) == {"schema_version": 1, "event_id": "e1", "kept": False}
    assert texts(client) == ["Turn 1."]


def test_a_batch_is_kept_in_order_and_once(client: httpx.Client) -> None:
    items = [event(number) for number in range(1, 6)]
    post(client, items[1])
    answer = post(client, {"items": [*items, event(7, dialogue_id="other"), items[0]]})
    assert [row["kept"] for row in answer["items"]] == [True, False, True, True, True, True, False]
    assert [row["event_id"] for row in answer["items"]] == ["e1", "e2", "e3", "e4", "e5", "e7", "e1"]
    assert texts(client) == ["Turn 2.", "Turn 1.", "Turn 3.", "Turn 4.", "Turn 5."]
    assert texts(client, "other") == ["Turn 7."]


def test_parallel_retries_keep_each_turn_once(client: httpx.Client) -> None:
    items = [event(number) for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: post(client, {"items": items}), range(8)))
    assert sum(row["kept"] for answer in answers for row in answer["items"]) == 16
    assert sorted(texts(client)) == sorted(item["text"] for item in items)


def test_the_history_of_a_turn_has_the_events(client: httpx.Client) -> None:
    post(client, {"items": [event(1), event(2)]})
    answer = client.post("/v1/turns", json={"dialogue_id": "d", "text": "I wish."}).json()
    assert answer["rewrite"]["text"] == "please: I wish. <user: Turn 1.> <bot: Turn 2.>"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"event_id": ""}, "#/event_id"),
        ({"event_id": "a\nb"}, "#"),
        ({"dialogue_id": "a/b"}, "#/dialogue_id"),
        ({"speaker": "system"}, "#/speaker"),
        ({"text": "  "}, "#/text"),
        ({"timestamp": "now"}, "#/timestamp"),
        ({"timestamp": 1795183200250}, "#/timestamp"),
        ({"metadata": []}, "#/metadata"),
        ({"metadata": {"a": "x" * MAX_EVENT_BYTES}}, "#"),
        ({"channel": 3}, "#/channel"),
        ({"mood": "good"}, "#/mood"),
        ({"schema_version": 2}, "#/schema_version"),
    ],
)
def test_unusable_events(client: httpx.Client, change: dict[str, Any], pointer: str) -> None:
    found = post(client, event(**change), 422)
    assert (found["type"], [error["pointer"] for error in found["errors"]]) == ("urn:grice:problem:invalid-request", [pointer])
    post(client, {"items": [event(), event(2, **change)]}, 422)
    assert texts(client) == []


def test_numbers_that_json_does_not_have(client: httpx.Client) -> None:
    body = json.dumps(event(metadata={"a": float("nan")}))
    assert client.post("/v1/events", content=body, headers={"content-type": "application/json"}).status_code == 422


def test_too_many_events(client: httpx.Client) -> None:
    post(client, {"items": [event(number) for number in range(65)]}, 422)
    post(client, {"items": []}, 422)


def test_events_are_counted(client: httpx.Client) -> None:
    post(client, {"items": [event(1), event(2), event(1)]})

    def counted() -> bool:
        lines = client.get("/metrics").text.splitlines()
        return {
            'grice_events_total{kept="yes",speaker="user"} 1.0',
            'grice_events_total{kept="no",speaker="user"} 1.0',
            'grice_events_total{kept="yes",speaker="bot"} 1.0',
        } <= set(lines)

    eventually(counted)


def test_an_api_key_is_asked_for() -> None:
    with serving(create_app(fakes(), ServiceSettings(api_keys=("key-of-this-test",)))) as client:
        assert client.post("/v1/events", json=event()).status_code == 401
        assert client.post("/v1/events", json=event(), headers={"authorization": "Bearer key-of-this-test"}).status_code == 200


def stream_of(server: RedisServer) -> list[DialogueEvent]:
    with server.client() as redis:
        return [DialogueEvent.from_json(fields[b"event"]) for _, fields in redis.xrange(STREAM)]


def test_a_stream_gets_the_events(redis_server: RedisServer) -> None:
    settings = ServiceSettings(redis_url=redis_server.url, events_stream=STREAM, events_maxlen=10)
    with serving(create_app(fakes(), settings)) as client:
        post(client, event(1, metadata={"grice": {"label": "direct"}}, channel="rest", bot_version="7", action="utter_x"))
        post(client, {"items": [event(2), event(3)]})
        found = stream_of(redis_server)
        assert [each.event_id for each in found] == ["e1", "e2", "e3"]
        assert found[0] == DialogueEvent(
            "e1", "d", "user", "Turn 1.", 1001.5, "rest", "7", "utter_x", metadata={"grice": {"label": "direct"}}
        )
        for first in range(0, 640, 64):
            post(client, {"items": [event(number) for number in range(first, first + 64)]})
        assert len(stream_of(redis_server)) < 200


def test_a_stream_that_is_down_fails_the_call_and_a_retry_keeps_nothing_twice(redis_server: RedisServer) -> None:
    settings = ServiceSettings(redis_url=redis_server.url, events_stream=STREAM)
    redis_server.kill()
    with serving(create_app(fakes(), settings)) as client:
        found = post(client, {"items": [event(1), event(2)]}, 503)
        assert found["type"] == "urn:grice:problem:stream-unavailable"
        redis_server.start()
        answer = post(client, {"items": [event(1), event(2)]})
        assert [row["kept"] for row in answer["items"]] == [False, False]
        assert texts(client) == ["Turn 1.", "Turn 2."]
        assert [each.event_id for each in stream_of(redis_server)] == ["e1", "e2"]


def test_a_store_that_is_down_fails_the_call(redis_server: RedisServer) -> None:
    with serving(create_app(fakes(), ServiceSettings(store="redis", redis_url=redis_server.url))) as client:
        redis_server.kill()
        response = client.post("/v1/events", json=event())
        assert (response.status_code, response.json()["type"]) == (503, "urn:grice:problem:store-unavailable")
        assert response.headers["retry-after"]
        redis_server.start()
        assert post(client, event())["kept"] is True


def test_an_event_is_made_and_written_once(redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    check, dumps = DialogueEvent.__post_init__, json.dumps

    def counted(value: Any, **options: Any) -> str:
        made.append("written")
        return dumps(value, **options)

    monkeypatch.setattr(DialogueEvent, "__post_init__", lambda self: made.append("made") or check(self))  # type: ignore[func-returns-value]
    settings = ServiceSettings(redis_url=redis_server.url, events_stream=STREAM)
    body = dumps({"items": [event(number, metadata={"a": "x" * 1000}) for number in range(64)]})
    with serving(create_app(fakes(), settings)) as client:
        own = SimpleNamespace(**{**vars(json), "dumps": counted})  # of that module alone: a log writes JSON, too
        monkeypatch.setattr("grice.middleware.events.event.json", own)
        response = client.post("/v1/events", content=body, headers={"content-type": "application/json"})
        monkeypatch.undo()
        assert (response.status_code, len(stream_of(redis_server))) == (200, 64)
    assert (made.count("made"), made.count("written")) == (64, 64)


def test_a_large_body_is_read_and_answered_off_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small one is not: to hand it over would take longer. So the thread that reads a small one is that of the loop."""
    found: list[tuple[str, int]] = []
    check, write = DialogueEvent.__post_init__, Wire.model_dump_json

    def read(self: DialogueEvent) -> None:
        found.append(("read", threading.get_ident()))
        check(self)

    def written(self: Wire, **options: Any) -> str:
        found.append(("written", threading.get_ident()))
        return write(self, **options)

    monkeypatch.setattr(DialogueEvent, "__post_init__", read)
    monkeypatch.setattr(Wire, "model_dump_json", written)
    with serving(create_app(fakes())) as client:
        post(client, event())
        assert [what for what, _ in found] == ["read", "written"]
        (loop,) = {thread for _, thread in found}
        found.clear()
        post(client, {"items": [event(number, text="Many words. " * 30) for number in range(64)]})
    assert [what for what, _ in found] == ["read"] * 64 + ["written"]
    assert loop not in {thread for _, thread in found}
