"""The slot-value resolver in real bots, in front of a service that answers as a test wants, and with the shipped model."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import ALIGNER, NLU_PIPELINE, LoadAgent, TrainBot, talk, with_grice
from loopback_server import LoopbackServer, hanging, items_of, loopback, saying, sent
from rasa.core.agent import Agent
from rasa.shared.core.events import UserUttered
from rasa.shared.core.slots import BooleanSlot
from rasa.shared.exceptions import InvalidConfigException

from grice.models import Dialogue
from grice.models.slots.questions import SlotQuestion
from grice.models.slots.resolver import load_slot_resolver

RESOLVER = "grice.components.SlotValueResolver"
OPENING = "I am looking for a place to eat."
QUESTION = "What price range would you like?"
BUDGET = "I am on a tight budget"
PRICE: dict[str, Any] = {"description": "how much the restaurant charges", "values": ["cheap", "moderate", "expensive"]}
AREA: dict[str, Any] = {"description": "part of town of the restaurant", "values": ["centre", "north", "south"]}

Means = Callable[[str, str], dict[str, float]]
"""Gives the likely values of a slot (its name) that a turn means."""


def resolving(means: Means) -> Any:
    """Speaks as `POST /v1/slots` does."""

    def answer(connection: Any, request: bytes) -> bool:
        rows = [
            {"slots": [_slot(slot, means(slot["name"], item["turns"][-1]["text"])) for slot in item["slots"]], "failures": []}
            for item in items_of(request)
        ]
        return sent(connection, json.dumps({"items": rows, "schema_version": 1}).encode())

    return answer


def _slot(slot: dict[str, Any], likely: dict[str, float]) -> dict[str, Any]:
    best = sorted(likely, key=lambda value: likely[value], reverse=True)
    ambiguous = len(best) > 1 and likely[best[0]] - likely[best[1]] < 0.1
    return {
        "name": slot["name"],
        "value": best[0] if best and not ambiguous else None,
        "ambiguous": ambiguous,
        "not_mentioned": 1 - sum(likely.values()),
        "probabilities": {value: likely.get(value, 0.0) for value in slot["values"]},
    }


def a_budget(slot: str, text: str) -> dict[str, float]:
    return {"cheap": 0.9, "moderate": 0.05} if slot == "price" and text == BUDGET else {}


@pytest.fixture(scope="module")
def service() -> Iterator[LoopbackServer]:
    """One address for all tests of this file, so that one trained bot serves them."""
    with loopback(resolving(a_budget)) as server:
        yield server


@pytest.fixture(autouse=True)
def _well(service: LoopbackServer) -> None:
    service.answer = resolving(a_budget)
    service.requests.clear()


def http(server: LoopbackServer, **more: Any) -> dict[str, Any]:
    slots = {"price": PRICE, "area": AREA}
    return {"name": RESOLVER, "backend": "http", "url": server.url, "deadline_ms": 20_000, "slots": slots, **more}


@pytest.fixture
def agent(load_agent: LoadAgent, service: LoopbackServer) -> Agent:
    found = load_agent((*NLU_PIPELINE, http(service)))
    service.requests.clear()
    return found


def asked(server: LoopbackServer) -> list[list[str]]:
    """The slots that each request asked about."""
    return [[slot["name"] for slot in item["slots"]] for request in server.requests for item in items_of(request)]


def test_a_form_is_filled_from_what_a_turn_means(agent: Agent, service: LoopbackServer) -> None:
    answers, tracker = asyncio.run(talk(agent, [OPENING, BUDGET, "for 5 people"], "form"))
    assert answers == [QUESTION, "How many people will come?", "A table for 5, cheap."]
    (price,) = [event.parse_data for event in tracker.events if getattr(event, "text", "") == BUDGET]
    assert price["entities"] == [
        {
            "entity": "price",
            "value": "cheap",
            "start": 0,
            "end": len(BUDGET),
            "confidence_entity": 0.9,
            "extractor": "SlotValueResolver",
            "implied": True,
        }
    ]
    found = {"value": "cheap", "confidence": 0.9, "ambiguous": False, "not_mentioned": pytest.approx(0.05), "filled": True}
    assert price["grice"]["slots"]["price"] == found
    assert price["grice"]["slots"]["area"]["filled"] is False
    assert price["grice"]["failures"] == []
    turns = [turn["text"] for turn in items_of(service.requests[1])[0]["turns"]]
    assert turns == [OPENING, QUESTION, BUDGET]


def test_what_the_nlu_found_stays(agent: Agent, service: LoopbackServer) -> None:
    service.answer = resolving(lambda slot, _: {"cheap": 0.99} if slot == "price" else {})
    found = asyncio.run(agent.parse_message("something expensive"))
    assert [(entity["value"], entity["extractor"]) for entity in found["entities"]] == [("expensive", "RegexEntityExtractor")]
    assert asked(service) == [["area"]]
    assert list(found["grice"]["slots"]) == ["area"]


def test_a_slot_that_has_a_value_keeps_it(agent: Agent, service: LoopbackServer) -> None:
    _, tracker = asyncio.run(talk(agent, [OPENING, "something expensive", BUDGET], "set"))
    assert tracker.current_slot_values()["price"] == "expensive"
    assert asked(service)[-1] == ["area"]


@pytest.mark.parametrize("likely", [{"cheap": 0.5}, {"cheap": 0.48, "moderate": 0.46}, {}], ids=["unsure", "ambiguous", "not said"])
def test_what_is_not_sure_fills_nothing(agent: Agent, service: LoopbackServer, likely: dict[str, float]) -> None:
    service.answer = resolving(lambda slot, _: likely if slot == "price" else {})
    found = asyncio.run(agent.parse_message(BUDGET))
    assert found["entities"] == []
    assert found["grice"]["slots"]["price"]["filled"] is False


def test_the_entity_may_have_another_name_than_the_slot(load_agent: LoadAgent, service: LoopbackServer) -> None:
    agent = load_agent((*NLU_PIPELINE, http(service, slots={"how_dear": {**PRICE, "entity": "price"}}, confidence=0.5)))
    service.answer = resolving(lambda _, text: {"cheap": 0.5} if text == BUDGET else {})
    answers, _ = asyncio.run(talk(agent, [OPENING, BUDGET], "other name"))
    assert answers == [QUESTION, "How many people will come?"]
    assert asyncio.run(agent.parse_message("something expensive"))["entities"][0]["value"] == "expensive"


def test_commands_and_what_cannot_be_read_are_left_alone(agent: Agent, service: LoopbackServer) -> None:
    assert asyncio.run(agent.parse_message('/inform{"price": "cheap"}'))["entities"][0]["value"] == "cheap"
    for text in ("/greet", "   "):
        assert "grice" not in asyncio.run(agent.parse_message(text))
    found = asyncio.run(agent.parse_message("half of \ud83d an emoji"))
    assert found["grice"] == {"slots": {}, "failures": []}
    assert service.requests == []


def test_a_failure_is_recorded_and_the_bot_goes_on(agent: Agent, service: LoopbackServer) -> None:
    service.answer = saying({"detail": "busy"}, "429 Too Many Requests")
    answers, tracker = asyncio.run(talk(agent, ["good morning"], "failure"))
    record = tracker.latest_message.parse_data["grice"]
    assert answers == ["Hello, I can find you a place to eat."]
    assert record["slots"] == {}
    assert [(failure["stage"], failure["error"]) for failure in record["failures"]] == [("slots", "ServiceError")]


def test_a_slot_that_fails_leaves_the_others(agent: Agent, service: LoopbackServer) -> None:
    failure = {"stage": "slots", "error": "RuntimeError", "message": "slot area: down"}
    broken = {"name": "area", "value": None, "ambiguous": None, "not_mentioned": None, "probabilities": None}
    row = {"slots": [_slot({"name": "price", **PRICE}, {"cheap": 0.9}), broken], "failures": [failure]}
    service.answer = saying({"items": [row], "schema_version": 1})
    found = asyncio.run(agent.parse_message(BUDGET))
    assert [entity["value"] for entity in found["entities"]] == ["cheap"]
    assert (found["grice"]["slots"]["area"], found["grice"]["failures"]) == (None, [failure])


def test_a_service_that_hangs_when_rasa_loads_does_not_stop_it(load_agent: LoadAgent) -> None:
    with loopback(hanging(threading.Event()), healthy=False) as server:
        found = asyncio.run(load_agent((*NLU_PIPELINE, http(server, deadline_ms=50))).parse_message("good morning"))
    assert found["intent"]["name"] == "greet"
    assert found["grice"]["failures"][0]["error"] == "CircuitOpen"


def test_it_works_behind_the_rewriter(load_agent: LoadAgent, service: LoopbackServer) -> None:
    agent = load_agent((*with_grice(), http(service)))
    service.answer = resolving(
        lambda slot, text: {"north": 0.9} if (slot, text) == ("area", BUDGET) else {"expensive": 0.9 * (text == BUDGET)}
    )
    service.requests.clear()
    _, tracker = asyncio.run(talk(agent, [OPENING, BUDGET], "rewritten"))
    parsed = next(event.parse_data for event in tracker.events if getattr(event, "text", "") == BUDGET)
    assert {entity["entity"]: entity["value"] for entity in parsed["entities"]} == {"price": "cheap", "area": "north"}
    assert (parsed["grice"]["decision"], list(parsed["grice"]["slots"])) == ("rewrite", ["area"])
    assert asked(service)[-1] == ["area"]


@pytest.mark.parametrize(("value", "set_to"), [(True, True), (False, False)])
def test_rasa_reads_the_values_of_boolean_slots(value: bool, set_to: bool) -> None:
    slot = BooleanSlot("parking", mappings=[])
    slot.value = str(value)
    assert slot.as_feature() == [1.0, float(set_to)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"slots": None}, "setting slots: got None; allowed: one or more slots, each a mapping of description"),
        ({"slots": {"price": {**PRICE, "values": []}}}, "values of slot price: got '0 values'; allowed: 2 to 64"),
        ({"confidence": 7}, "setting confidence: got 7; allowed: 0.0 to 1.0"),
        ({"mode": "append"}, "setting mode: got 'append'; allowed: no such key; the keys are: api_key, backend, confidence"),
        (
            {"slots_model": "mine"},
            "setting slots_model: got 'mine'; allowed: no such key with backend http, it is a setting of the",
        ),
        ({"url": "localhost"}, "setting url: got 'localhost'; allowed: the address of the service"),
    ],
)
def test_what_training_refuses(train_bot: TrainBot, service: LoopbackServer, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfigException) as caught:
        train_bot((*NLU_PIPELINE, http(service, **values)), nlu_only=True, force=False)
    assert str(caught.value).startswith(f"SlotValueResolver: {message}")


def test_it_must_be_behind_what_finds_entities(train_bot: TrainBot, service: LoopbackServer) -> None:
    resolver = http(service)
    late = "SlotValueResolver: RegexEntityExtractor is listed after it.*behind every entity extractor and EntityAligner"
    with pytest.raises(InvalidConfigException, match=late):
        train_bot((*NLU_PIPELINE[:3], resolver, *NLU_PIPELINE[3:]), nlu_only=True)
    with pytest.raises(InvalidConfigException, match="SlotValueResolver: EntityAligner is listed after it"):
        train_bot((*with_grice()[:-1], resolver, {"name": ALIGNER}), nlu_only=True)


def test_the_shipped_model_says_what_is_filled(load_agent: LoadAgent) -> None:
    agent = load_agent((*NLU_PIPELINE, {"name": RESOLVER, "slots": {"price": PRICE}, "confidence": 0.0}))
    (greeting, *_), tracker = asyncio.run(talk(agent, ["hello", BUDGET], "shipped"))
    dialogue = Dialogue.of(BUDGET, [("user", "hello"), ("bot", greeting)])
    (expected,) = load_slot_resolver().predict([SlotQuestion(dialogue, "price", PRICE["description"], tuple(PRICE["values"]))])
    hello, budget = (event.parse_data for event in tracker.events if isinstance(event, UserUttered))
    record = budget["grice"]["slots"]["price"]
    assert (hello["entities"], budget["grice"]["failures"]) == ([], [])
    assert record["confidence"] == pytest.approx(max(expected.probabilities))
    assert record["filled"] == (expected.value is not None)
    assert [entity["value"] for entity in budget["entities"]] == ([expected.value] if expected.value else [])


def test_training_refuses_a_model_that_is_not_there(train_bot: TrainBot) -> None:
    with pytest.raises(InvalidConfigException, match="SlotValueResolver: model '/models/mine' not found"):
        train_bot((*NLU_PIPELINE, {"name": RESOLVER, "slots": {"price": PRICE}, "slots_model": "/models/mine"}), nlu_only=True)
