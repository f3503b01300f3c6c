"""The event broker in a real bot, in front of a real Redis that goes away and comes back."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import SCORER, TrainBot
from rasa.core.agent import Agent, load_agent
from rasa.core.brokers.broker import EventBroker
from rasa.core.channels.channel import UserMessage
from rasa.core.utils import AvailableEndpoints
from rasa.shared.core.events import ActionExecuted, BotUttered, SlotSet, UserUttered
from rasa.shared.exceptions import InvalidConfigException
from rasa.utils.endpoints import EndpointConfig
from redis_process import RedisServer, eventually, redis_process, redis_server

from grice.components import MonitorEventBroker
from grice.components.tracker_events import TrackerEvents
from grice.middleware.events.event import MAX_EVENT_BYTES, DialogueEvent
from grice.middleware.events.redis_stream import stream_keys
from grice.models.errors import InputError

__all__ = ["redis_process", "redis_server"]

STREAM = "grice:test"
SENDERS = ("ann", "bob", "eve", "kim")
KEYWORDS = tuple({"name": name} for name in (SCORER, "WhitespaceTokenizer", "KeywordIntentClassifier"))


@pytest.fixture
def keys(redis_server: RedisServer, tmp_path: Path) -> dict[str, Any]:
    """The entry of `endpoints.yml`."""
    return {
        "type": "grice.components.MonitorEventBroker",
        "transport": "redis",
        "redis_url": redis_server.url,
        "stream": STREAM,
        "spool_path": str(tmp_path / "spool.jsonl"),
        "retry_ms": 20,
        "max_retry_ms": 50,
    }


def arrived(server: RedisServer, key: str = STREAM) -> list[DialogueEvent]:
    with server.client() as redis:
        found = [DialogueEvent.from_json(fields[b"event"]) for _, fields in redis.xrange(key)]
    return list({event.event_id: event for event in found}.values())


async def bot(model: Path, keys: dict[str, Any]) -> Agent:
    agent = await load_agent(str(model), endpoints=AvailableEndpoints(event_broker=EndpointConfig.from_dict(dict(keys))))
    assert isinstance(agent.tracker_store.event_broker, MonitorEventBroker)
    return agent


async def say(agent: Agent, text: str, sender: str = "ann") -> list[str]:
    answers = await agent.handle_message(UserMessage(text, sender_id=sender, input_channel="rest"))
    return [answer["text"] for answer in answers or []]


def test_a_conversation_arrives(train_bot: TrainBot, keys: dict[str, Any], redis_server: RedisServer) -> None:
    async def talk() -> str:
        agent = await bot(train_bot(KEYWORDS), keys)
        assert await say(agent, "hello") == ["Hello, I can find you a place to eat."]
        assert await say(agent, "/restart") == []
        assert await say(agent, "bye", "a b/c") == ["Good bye."]
        await agent.tracker_store.event_broker.close()
        model_id: str = agent.processor.model_metadata.model_id
        return model_id

    started = time.time()
    model_id = asyncio.run(talk())
    found = arrived(redis_server)
    assert [(event.dialogue_id, event.speaker, event.text, event.action) for event in found] == [
        ("ann", "user", "hello", None),
        ("ann", "bot", "Hello, I can find you a place to eat.", "utter_greet"),
        ("a%20b%2Fc", "user", "bye", None),
        ("a%20b%2Fc", "bot", "Good bye.", "utter_bye"),
    ]
    assert [event.channel for event in found] == ["rest"] * 4
    assert {event.bot_version for event in found} == {model_id}
    assert all(started - 1 <= event.timestamp <= time.time() + 1 for event in found)
    assert found[0].metadata["grice"]["original"] == "hello"
    assert set(found[0].metadata) == {"grice"}
    assert found[1].metadata == {}


def test_dialogues_go_to_the_partitions_that_a_worker_reads(
    train_bot: TrainBot, keys: dict[str, Any], redis_server: RedisServer
) -> None:
    async def talk() -> None:
        agent = await bot(train_bot(KEYWORDS), {**keys, "partitions": 2})
        for sender in SENDERS:
            await say(agent, "hello", sender)
        await agent.tracker_store.event_broker.close()

    asyncio.run(talk())
    found = [arrived(redis_server, key) for key in stream_keys(STREAM, 2)]
    assert all(found)
    for sender in SENDERS:
        speakers = [[event.speaker for event in events if event.dialogue_id == sender] for events in found]
        assert sorted(speakers) == [[], ["user", "bot"]]


def test_a_redis_that_does_not_answer_delays_nobody(train_bot: TrainBot, keys: dict[str, Any], redis_server: RedisServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and never says a word
        waiting = {**keys, "redis_url": f"redis://127.0.0.1:{silent.getsockname()[1]}/0", "timeout_ms": 60_000, "close_ms": 100}

        async def talk() -> float:
            agent = await bot(train_bot(KEYWORDS), waiting)
            started = time.monotonic()
            for _ in range(3):
                assert await say(agent, "hello") == ["Hello, I can find you a place to eat."]
            await agent.tracker_store.event_broker.close()
            return time.monotonic() - started

        assert asyncio.run(talk()) < 30  # one answer of Redis would be waited for twice as long

    async def later() -> None:
        broker = await EventBroker.create(EndpointConfig.from_dict(dict(keys)))
        eventually(lambda: len(arrived(redis_server)) == 6)
        await broker.close()

    asyncio.run(later())
    assert [event.speaker for event in arrived(redis_server)] == ["user", "bot"] * 3


def test_a_redis_that_dies_and_returns_gets_all_events(
    train_bot: TrainBot, keys: dict[str, Any], redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def talk() -> None:
        agent = await bot(train_bot(KEYWORDS), keys)
        redis_server.kill()
        await say(agent, "hello")
        broker = agent.tracker_store.event_broker
        eventually(lambda: broker.counts.spooled >= 2)
        redis_server.start()
        await say(agent, "bye")
        eventually(lambda: len(arrived(redis_server)) == 4)
        await broker.close()
        assert broker.counts.lost == 0

    asyncio.run(talk())
    assert [event.text for event in arrived(redis_server)][::2] == ["hello", "bye"]
    ours = [record for record in caplog.records if record.name.startswith("grice.")]
    assert any(record.levelno == logging.ERROR and "events cannot be delivered" in record.getMessage() for record in ours)
    assert not any("hello" in record.getMessage().lower() for record in ours)


def raw(event: Any, sender: str = "ann") -> dict[str, Any]:
    """An event as Rasa publishes it."""
    return {"sender_id": sender, **event.as_dict()}


def turn_of(events: TrackerEvents, event: dict[str, Any]) -> DialogueEvent:
    turn = events.event(event)
    assert turn is not None
    return turn


def test_an_event_that_is_published_again_has_the_same_id() -> None:
    published = [
        raw(UserUttered("hello", message_id="m1", timestamp=1.0)),
        raw(UserUttered("hello", message_id="m1", timestamp=1.0), "bob"),
        raw(UserUttered("hello", timestamp=2.0)),
        raw(BotUttered("Hi.", timestamp=3.0)),
        raw(BotUttered("Hi.", timestamp=3.0)),
        raw(BotUttered("Hi.", timestamp=3.0)),
        raw(BotUttered("Hi.", timestamp=4.0)),
        raw(BotUttered("Hi.", timestamp=4.0), "bob"),
        raw(BotUttered("Ho.", timestamp=4.0), "bob"),
    ]
    first, second = TrackerEvents(), TrackerEvents()
    ids = [turn_of(first, each).event_id for each in published]
    assert ids == [turn_of(second, each).event_id for each in published]
    assert len(set(ids)) == len(published)


def test_a_turn_that_the_service_has_kept_goes_by_the_id_that_it_gave() -> None:
    parse_data = {"grice": {"event_id": "kept-1", "label": "direct"}}
    event = turn_of(TrackerEvents(), raw(UserUttered("hello", parse_data=parse_data, message_id="m1")))
    assert (event.event_id, event.metadata) == ("kept-1", {"grice": parse_data["grice"]})


@pytest.mark.parametrize(
    "event",
    [
        BotUttered(None, {"image": "picture.png"}),
        BotUttered(" \n"),
        UserUttered("/restart"),
        UserUttered('/inform{"price": "cheap"}'),
        UserUttered(None),
        SlotSet("price", "cheap"),
        ActionExecuted("action_listen"),
    ],
)
def test_what_is_no_turn_is_left_out(event: Any) -> None:
    assert TrackerEvents().event(raw(event)) is None


def test_what_is_in_the_metadata_of_the_channel_stays_there() -> None:
    metadata = {"phone": "1234", "utter_action": "utter_hi", "model_id": "m", "grice": {"softened": True}}
    event = turn_of(TrackerEvents("2.1"), raw(BotUttered("Hi.", metadata=metadata)))
    assert (event.metadata, event.action, event.bot_version) == ({"grice": {"softened": True}}, "utter_hi", "2.1")


def test_what_the_bot_says_has_the_channel_of_what_the_user_said() -> None:
    events = TrackerEvents()
    for text, channel, sender in (("hello", "rest", "ann"), ("/restart", "slack", "bob"), ("hello", None, "eve")):
        events.event(raw(UserUttered(text, input_channel=channel), sender))
    answers = {sender: turn_of(events, raw(BotUttered("Hi."), sender)) for sender in ("ann", "bob", "eve", "kim")}
    assert {sender: answer.channel for sender, answer in answers.items()} == {
        "ann": "rest",
        "bob": "slack",
        "eve": None,
        "kim": None,
    }


def test_channels_are_remembered_of_the_newest_dialogues_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grice.components.tracker_events.MAX_CHANNELS", 2)
    events = TrackerEvents()
    for sender in ("ann", "bob", "ann", "eve"):
        events.event(raw(UserUttered("hello", input_channel="rest"), sender))
    channels = [turn_of(events, raw(BotUttered("Hi."), sender)).channel for sender in ("ann", "bob", "eve")]
    assert channels == ["rest", None, "rest"]


def test_what_is_too_large_is_cut_and_says_so() -> None:
    event = turn_of(TrackerEvents(), raw(BotUttered("x" * 10_001, metadata={"grice": {"a": "y" * MAX_EVENT_BYTES}})))
    assert len(event.text) == 10_000
    assert event.metadata == {"left_out": "grice", "text_cut": True}
    assert turn_of(TrackerEvents(), raw(BotUttered("a\ud800b"))).text == "a?b"


def test_publishing_never_raises(keys: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    bad = raw(BotUttered("A secret.", timestamp=3.0)) | {"timestamp": "yesterday"}
    with pytest.raises(InputError):
        TrackerEvents().event(bad)

    async def publish() -> MonitorEventBroker:
        broker: MonitorEventBroker = await EventBroker.create(EndpointConfig.from_dict(dict(keys)))
        for event in ({}, {"event": "user"}, bad):
            broker.publish(event)
        await broker.close()
        broker.publish(raw(BotUttered("After the end.")))
        return broker

    broker = asyncio.run(publish())
    assert (broker.counts.lost, broker.counts.spooled) == (1, 1)
    assert "a bot event is LOST: InputError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"queue": 5}, "MonitorEventBroker: setting queue: got 'a value'; allowed: no such key; there are: transport,"),
        ({"transport": "kafka"}, "setting transport: got 'kafka'; allowed: redis, http"),
        ({"queue_size": "many"}, "setting queue_size: got 'many'; allowed: 1 to"),
        ({"partitions": 0}, "setting partitions: got 0; allowed: 1 to 256"),
        (
            {"transport": "http", "partitions": 2},
            "setting redis_url: got 'a value'; allowed: only with another transport than http",
        ),
        ({"bot_version": 2}, "setting bot_version: got 2; allowed: a string"),
        ({"redis_url": "localhost"}, "setting redis_url: got 'localhost'; allowed: a URL that starts with redis://"),
        ({"url": "http://localhost"}, "setting url: got 'a value'; allowed: only with another transport than redis"),
        ({"headers": {"a": "b"}}, "setting headers: got 'a value'; allowed: no such key here"),
        ({"token": "hidden"}, "setting token: got 'a value'; allowed: no such key here"),
    ],
)
def test_a_configuration_that_cannot_be_used_keeps_the_bot_from_starting(
    keys: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    endpoints = AvailableEndpoints(event_broker=EndpointConfig.from_dict({**keys, **change}))
    with pytest.raises(InvalidConfigException) as caught:
        asyncio.run(load_agent("nowhere", endpoints=endpoints))
    assert message in str(caught.value)


def test_a_missing_package_is_not_taken_for_a_missing_broker(keys: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    for name in ("events.redis_stream", "runtime.redis_connection"):
        monkeypatch.delitem(sys.modules, f"grice.middleware.{name}", raising=False)
    with pytest.raises(InvalidConfigException, match=r"redis is not installed; run: pip install 'grice\[redis\]'"):
        asyncio.run(EventBroker.create(EndpointConfig.from_dict(dict(keys))))
