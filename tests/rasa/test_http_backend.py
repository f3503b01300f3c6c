"""The components in front of a service: one that answers, one that hangs, one that is not there."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import NLU_PIPELINE, SCORER, LoadAgent, talk, with_grice
from loopback_server import Answer, LoopbackServer, analysing, hanging, items_of, loopback, saying
from rasa.core.agent import Agent
from rasa.shared.core.trackers import DialogueStateTracker

OPENING = "I am looking for a place to eat."
QUESTION = "What price range would you like?"
INDIRECT = "I am on a tight budget"
DEADLINE_MS = 200
GENEROUS_MS = 3000
"""For what should take no longer than the deadline on a machine that may be busy."""

answering = analysing(lambda texts: "I need a cheap place" if texts[-2:] == [QUESTION, INDIRECT] else None)


@pytest.fixture(scope="module")
def service() -> Iterator[LoopbackServer]:
    """One address for all tests of this file, so that one trained bot serves them."""
    with loopback(answering) as server:
        yield server


@pytest.fixture(autouse=True)
def _well(service: LoopbackServer) -> Iterator[None]:
    service.answer, service.healthy = answering, True
    service.requests.clear()
    yield
    service.answer, service.healthy = answering, True


def http(server: LoopbackServer, **more: object) -> dict[str, object]:
    return {"backend": "http", "url": server.url, **more}


def eventually_answered(agent: Agent, text: str) -> dict[str, Any]:
    """The record of `text` once the circuit is closed again; it is when a test before has opened it."""
    end = time.monotonic() + 30
    record: dict[str, Any] = asyncio.run(agent.parse_message(text))["grice"]
    while record["failures"]:
        assert time.monotonic() < end, record
        time.sleep(0.05)
        record = asyncio.run(agent.parse_message(text))["grice"]
    return record


@pytest.mark.parametrize("mode", ["append", "replace"])
def test_a_form_is_filled_from_entities_in_both_modes(load_agent: LoadAgent, service: LoopbackServer, mode: str) -> None:
    agent = load_agent(with_grice(**http(service, mode=mode, deadline_ms=20_000)))
    eventually_answered(agent, "hello")
    service.requests.clear()
    answers, tracker = asyncio.run(talk(agent, [OPENING, INDIRECT, "2 people, in the centre"], mode))
    assert answers == [QUESTION, "How many people will come?", "A table for 2, cheap."]
    slots = tracker.current_slot_values()
    assert (slots["price"], slots["people"], slots["area"]) == ("cheap", "2", "centre")
    asked = [turn["text"] for turn in items_of(service.requests[1])[0]["turns"]]
    assert asked == [OPENING, QUESTION, INDIRECT]
    price = next(event for event in tracker.events if getattr(event, "text", "") == INDIRECT).parse_data
    assert price["text"] == INDIRECT
    assert [(entity["entity"], entity["start"], entity["end"]) for entity in price["entities"]] == [("price", 0, len(INDIRECT))]
    assert price["grice"]["text"] == ("I need a cheap place" if mode == "replace" else f"{INDIRECT}. I need a cheap place")


async def timed(agent: Agent, text: str, sender_id: str, began: float) -> tuple[float, list[str], DialogueStateTracker]:
    answers, tracker = await talk(agent, [text], sender_id)
    return (time.monotonic() - began) * 1000, answers, tracker


async def four_users(agent: Agent, text: str, when: str) -> list[tuple[float, list[str], DialogueStateTracker]]:
    began = time.monotonic()  # all four write at once: who comes last waits for the others too
    return await asyncio.gather(*(timed(agent, text, f"{when} {user}", began) for user in range(4)))


@pytest.mark.parametrize("how", ["hangs", "stopped"])
def test_no_user_waits_for_a_service_that_is_down(load_agent: LoadAgent, how: str) -> None:
    with loopback(answering) as server:
        agent = load_agent(with_grice(**http(server)))
        asyncio.run(four_users(agent, OPENING, "before"))
        server.healthy = False
        if how == "hangs":
            server.answer = hanging(threading.Event())
        else:
            server.stop()
            server.answer = lambda *_: False
        results = [result for round_ in range(3) for result in asyncio.run(four_users(agent, OPENING, f"round {round_}"))]
    waited = [round(took) for took, _, _ in results]
    print(f"service {how}, 4 users, 3 rounds, deadline {DEADLINE_MS} ms, waited:", waited)
    assert [answers for _, answers, _ in results] == [[QUESTION]] * 12
    assert max(waited) < GENEROUS_MS
    failures = [result[2].latest_message.parse_data["grice"]["failures"] for result in results]
    assert all(len(failure) == 1 and failure[0]["stage"] == "service" for failure in failures)
    assert [failure[0]["error"] for failure in failures].count("CircuitOpen") == 11


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (saying({"detail": "broken"}, "500 Internal Server Error"), "ServiceError"),
        (saying({"detail": "busy"}, "429 Too Many Requests"), "ServiceError"),
        (saying(b"<html>"), "ServiceError"),
        (hanging(threading.Event()), "DeadlineExceeded"),
    ],
    ids=["500", "429", "no JSON", "hangs"],
)
def test_a_failure_is_recorded_and_the_bot_goes_on(
    load_agent: LoadAgent, service: LoopbackServer, answer: Answer, error: str
) -> None:
    agent = load_agent(with_grice(**http(service)))
    eventually_answered(agent, "hello")
    service.answer = answer
    answers, tracker = asyncio.run(talk(agent, ["good morning"], error))
    record = tracker.latest_message.parse_data["grice"]
    assert answers == ["Hello, I can find you a place to eat."]
    assert (record["text"], record["decision"], record["reason"]) == ("good morning", "pass", "failed")
    assert [failure["error"] for failure in record["failures"]] == [error]
    service.answer = answering
    assert eventually_answered(agent, "hello")["reason"] == "direct"


def test_the_scorer_asks_for_directness_only(load_agent: LoadAgent, service: LoopbackServer) -> None:
    row = {"score": 0.25, "history_read": 0, "history_cut": 0, "text_cut": False, "failures": []}
    service.answer = saying({"items": [row], "schema_version": 1})
    agent = load_agent(({"name": SCORER, "direct_from": 0.2, **http(service)}, *NLU_PIPELINE))
    record = eventually_answered(agent, "hello")
    assert record == {"original": "hello", "directness": 0.25, "label": "direct", "failures": []}
    assert service.requests[-1].startswith(b"POST /v1/directness ")
    service.answer = saying({"detail": "busy"}, "429 Too Many Requests")
    record = asyncio.run(agent.parse_message("hello"))["grice"]
    assert (record["directness"], record["label"], record["failures"][0]["stage"]) == (None, None, "directness")


def test_a_service_that_hangs_when_rasa_loads_does_not_stop_it(load_agent: LoadAgent) -> None:
    with loopback(hanging(threading.Event()), healthy=False) as server:
        for pipeline in (
            with_grice(**http(server, deadline_ms=50)),
            ({"name": SCORER, **http(server, deadline_ms=51)}, *NLU_PIPELINE),
        ):
            found = asyncio.run(load_agent(pipeline).parse_message("good morning"))
            assert found["intent"]["name"] == "greet"
            assert found["grice"]["failures"][0]["error"] == "CircuitOpen"


def test_a_service_that_is_not_there_when_rasa_loads_does_not_stop_it(load_agent: LoadAgent) -> None:
    with loopback(answering) as server:
        url = server.url
    for component in (with_grice(backend="http", url=url), ({"name": SCORER, "backend": "http", "url": url}, *NLU_PIPELINE)):
        found = asyncio.run(load_agent(component).parse_message("good morning"))
        assert found["intent"]["name"] == "greet"
        assert found["grice"]["failures"][0]["error"] == "CircuitOpen"
