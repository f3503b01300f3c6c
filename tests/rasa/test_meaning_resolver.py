"""The meaning resolver in real bots, in front of a service that answers as a test wants, and with the shipped model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import ALIGNER, NLU_PIPELINE, LoadAgent, TrainBot, talk, with_grice
from loopback_server import LoopbackServer, items_of, loopback, saying, sent
from rasa.core.agent import Agent
from rasa.shared.core.events import UserUttered
from rasa.shared.exceptions import InvalidConfigException

from grice.models import BotSchema, Dialogue, MeaningQuestion, load_meaning_reader

RESOLVER = "grice.components.MeaningResolver"
OPENING = "I am looking for a place to eat."
QUESTION = "What price range would you like?"
BUDGET = "I am on a tight budget"
NOTHING: dict[str, Any] = {"evidence": [], "changed": [], "failures": []}
KNOWN: dict[str, Any] = {"margin": 0.5, "changes": 0.0, "indirect": 0.9, "option": None, **NOTHING}
UNKNOWN = {**KNOWN, "kind": "unknown", "meaning": "", "confidence": 0.3, "possible": [], "slots": []}

Reads = Callable[[str], dict[str, Any]]
"""Gives what is read of a turn's text."""


def meant(slot: str, value: str, said: str = "meant") -> dict[str, Any]:
    return {"slot": slot, "said": said, "values": [value], "confidence": 0.9}


def act(*slots: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {**KNOWN, "kind": "act", "meaning": "answer", "confidence": 0.9, "possible": [], "slots": list(slots), **given}


def intent(name: str, confidence: float, *slots: dict[str, Any]) -> dict[str, Any]:
    return {**act(*slots), "kind": "intent", "meaning": name, "confidence": confidence}


def reading(reads: Reads) -> Any:
    """Speaks as `POST /v1/meaning` does."""

    def answer(connection: Any, request: bytes) -> bool:
        rows = [reads(item["turns"][-1]["text"]) for item in items_of(request)]
        return sent(connection, json.dumps({"items": rows, "schema_version": 1}).encode())

    return answer


def a_budget(text: str) -> dict[str, Any]:
    return act(meant("price", "cheap")) if text == BUDGET else UNKNOWN


@pytest.fixture(scope="module")
def service() -> Iterator[LoopbackServer]:
    """One address for all tests of this file, so that one trained bot serves them."""
    with loopback(reading(a_budget)) as server:
        yield server


@pytest.fixture(autouse=True)
def _well(service: LoopbackServer) -> None:
    service.answer = reading(a_budget)
    service.requests.clear()


def http(server: LoopbackServer, **more: Any) -> dict[str, Any]:
    return {"name": RESOLVER, "backend": "http", "url": server.url, "deadline_ms": 20_000, **more}


@pytest.fixture
def agent(load_agent: LoadAgent, service: LoopbackServer) -> Agent:
    found = load_agent((*NLU_PIPELINE, http(service)))
    service.requests.clear()
    return found


def test_a_form_is_filled_from_what_a_turn_means(agent: Agent, service: LoopbackServer) -> None:
    answers, tracker = asyncio.run(talk(agent, [OPENING, BUDGET, "for 5 people"], "form"))
    assert answers == [QUESTION, "How many people will come?", "A table for 5, cheap."]
    (parsed,) = [event.parse_data for event in tracker.events if getattr(event, "text", "") == BUDGET]
    assert parsed["entities"] == [
        {
            "entity": "price",
            "value": "cheap",
            "start": 0,
            "end": len(BUDGET),
            "confidence_entity": 0.9,
            "extractor": "MeaningResolver",
            "implied": True,
        }
    ]
    found = parsed["grice"]["meaning"]
    assert (found["kind"], found["meaning"], found["filled"], found["overruled"]) == ("act", "answer", ["price"], None)
    assert parsed["grice"]["failures"] == []
    assert [turn["text"] for turn in items_of(service.requests[1])[0]["turns"]] == [OPENING, QUESTION, BUDGET]


def test_the_menu_is_that_of_domain_and_training_data(agent: Agent, service: LoopbackServer) -> None:
    asyncio.run(agent.parse_message(BUDGET))
    menu = BotSchema.of(items_of(service.requests[0])[0]["schema"])
    assert {each.name for each in menu.intents} == {"find_food", "inform", "greet", "bye"}
    assert "I need a place to eat in the centre" in menu.intent("find_food").examples
    assert menu.intent("find_food").slots == ("area",)
    assert {slot.name: set(slot.values) for slot in menu.slots}["price"] >= {"cheap", "moderate", "expensive"}


def test_a_value_fills_its_slot_and_the_intent_stays_where_the_meaning_is_unknown(agent: Agent, service: LoopbackServer) -> None:
    plain = asyncio.run(agent.parse_message("hello"))
    service.answer = reading(lambda text: {**UNKNOWN, "slots": [meant("price", "cheap")]})
    found = asyncio.run(agent.parse_message("hello"))
    assert {key: found[key] for key in ("intent", "text")} == {key: plain[key] for key in ("intent", "text")}
    assert found["intent"]["name"] == "greet"
    assert [(entity["entity"], entity["value"]) for entity in found["entities"]] == [("price", "cheap")]
    assert (found["grice"]["meaning"]["kind"], found["grice"]["meaning"]["filled"]) == ("unknown", ["price"])
    unsure = {**meant("price", "cheap"), "confidence": 0.4}
    service.answer = reading(lambda text: {**UNKNOWN, "slots": [unsure, meant("area", "north", "not_this")]})
    assert asyncio.run(agent.parse_message("hello"))["entities"] == plain["entities"]


def test_what_the_nlu_found_stays_and_a_slot_keeps_its_value(agent: Agent, service: LoopbackServer) -> None:
    service.answer = reading(lambda _: act(meant("price", "cheap"), meant("area", "north", "not_this")))
    found = asyncio.run(agent.parse_message("something expensive"))
    assert [(entity["value"], entity["extractor"]) for entity in found["entities"]] == [("expensive", "RegexEntityExtractor")]
    _, tracker = asyncio.run(talk(agent, [OPENING, "something expensive", BUDGET], "set"))
    assert tracker.current_slot_values()["price"] == "expensive"
    service.answer = reading(lambda text: act(meant("price", "cheap"), changes=0.9) if text == BUDGET else UNKNOWN)
    _, tracker = asyncio.run(talk(agent, [BUDGET], "set"))
    assert tracker.current_slot_values()["price"] == "cheap"


def test_an_intent_is_replaced_where_the_nlu_is_unsure(load_agent: LoadAgent, agent: Agent, service: LoopbackServer) -> None:
    service.answer = reading(lambda _: intent("bye", 0.85))
    unsure = load_agent((*NLU_PIPELINE, http(service, sure_nlu=1.0)))
    found = asyncio.run(unsure.parse_message("hello"))
    assert found["intent"] == {"name": "bye", "confidence": 0.85}
    assert found["intent_ranking"][0]["name"] == "bye"
    assert len({each["name"] for each in found["intent_ranking"]}) == len(found["intent_ranking"]) == 4
    before = found["grice"]["meaning"]["overruled"]
    assert before["intent"] == "greet"
    assert 0 < before["confidence"] < 1
    service.answer = reading(lambda _: intent("bye", 0.79))
    assert asyncio.run(unsure.parse_message("hello"))["intent"]["name"] == "greet"
    sure = load_agent((*NLU_PIPELINE, http(service, sure_nlu=0.0)))
    service.answer = reading(lambda _: intent("bye", 0.99))
    assert asyncio.run(sure.parse_message("hello"))["intent"]["name"] == "greet"


def test_a_failure_is_recorded_and_the_bot_goes_on(agent: Agent, service: LoopbackServer) -> None:
    service.answer = saying({"detail": "busy"}, "429 Too Many Requests")
    answers, tracker = asyncio.run(talk(agent, ["good morning"], "failure"))
    record = tracker.latest_message.parse_data["grice"]
    assert answers == ["Hello, I can find you a place to eat."]
    assert record["meaning"] is None
    assert [(failure["stage"], failure["error"]) for failure in record["failures"]] == [("meaning", "ServiceError")]
    failure = {"stage": "meaning", "error": "RuntimeError", "message": "down"}
    service.answer = reading(lambda _: {**dict.fromkeys(UNKNOWN), "failures": [failure]})
    found = asyncio.run(agent.parse_message(BUDGET))
    assert (found["entities"], found["grice"]) == ([], {"meaning": None, "failures": [failure]})


def test_commands_and_what_cannot_be_read_are_left_alone(agent: Agent, service: LoopbackServer) -> None:
    assert asyncio.run(agent.parse_message('/inform{"price": "cheap"}'))["entities"][0]["value"] == "cheap"
    assert "grice" not in asyncio.run(agent.parse_message("/greet"))
    assert asyncio.run(agent.parse_message("half of \ud83d an emoji"))["grice"] == {"meaning": None, "failures": []}
    assert service.requests == []


def test_it_works_behind_the_rewriter(load_agent: LoadAgent, service: LoopbackServer) -> None:
    agent = load_agent((*with_grice(), http(service)))
    service.answer = reading(lambda text: act(meant("area", "north"), meant("price", "expensive")) if text == BUDGET else UNKNOWN)
    _, tracker = asyncio.run(talk(agent, [OPENING, BUDGET], "rewritten"))
    parsed = next(event.parse_data for event in tracker.events if getattr(event, "text", "") == BUDGET)
    assert {entity["entity"]: entity["value"] for entity in parsed["entities"]} == {"price": "cheap", "area": "north"}
    assert (parsed["grice"]["decision"], parsed["grice"]["meaning"]["filled"]) == ("rewrite", ["area"])


def test_a_model_of_the_nlu_alone_has_entities_for_slots(train_bot: TrainBot, service: LoopbackServer) -> None:
    agent = Agent.load(str(train_bot((*NLU_PIPELINE, http(service)), nlu_only=True)))
    service.requests.clear()
    found = asyncio.run(agent.parse_message(BUDGET))
    assert [(entity["entity"], entity["value"]) for entity in found["entities"]] == [("price", "cheap")]
    menu = BotSchema.of(items_of(service.requests[0])[0]["schema"])
    assert {slot.name for slot in menu.slots} == {"price", "people", "area"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"overrule_above": 7}, "setting overrule_above: got 7; allowed: 0.0 to 1.0"),
        ({"sure_nlu": "x"}, "setting sure_nlu: got 'x'; allowed: "),
        (
            {"slots": {}},
            "setting slots: got {}; allowed: no such key; the keys are: api_key, backend, deadline_ms, fill_from, history_turns",
        ),
        (
            {"meaning_model": "mine"},
            "setting meaning_model: got 'mine'; allowed: no such key with backend http, it is a setting of",
        ),
    ],
)
def test_what_training_refuses(train_bot: TrainBot, service: LoopbackServer, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfigException) as caught:
        train_bot((*NLU_PIPELINE, http(service, **values)), nlu_only=True, force=False)
    assert str(caught.value).startswith(f"MeaningResolver: {message}")


def test_it_must_be_behind_what_finds_entities_and_intents(train_bot: TrainBot, service: LoopbackServer) -> None:
    resolver, (tokenizer, counts, classifier, *extractors) = http(service), NLU_PIPELINE
    with pytest.raises(InvalidConfigException, match="MeaningResolver: RegexEntityExtractor is listed after it"):
        train_bot((tokenizer, counts, classifier, resolver, *extractors), nlu_only=True)
    with pytest.raises(
        InvalidConfigException, match=r"MeaningResolver: LogisticRegressionClassifier is listed after it.*replace the int"
    ):
        train_bot((tokenizer, counts, *extractors, resolver, classifier), nlu_only=True)
    with pytest.raises(InvalidConfigException, match="MeaningResolver: EntityAligner is listed after it"):
        train_bot((*with_grice()[:-1], resolver, {"name": ALIGNER}), nlu_only=True)
    assert train_bot((*NLU_PIPELINE, resolver, {"name": "FallbackClassifier"}), nlu_only=True).exists()


def test_training_refuses_a_model_that_is_not_there(train_bot: TrainBot) -> None:
    with pytest.raises(InvalidConfigException, match="MeaningResolver: model '/models/mine' not found"):
        train_bot((*NLU_PIPELINE, {"name": RESOLVER, "meaning_model": "/models/mine"}), nlu_only=True)


def test_the_shipped_model_says_what_is_filled(load_agent: LoadAgent, agent: Agent, service: LoopbackServer) -> None:
    asyncio.run(agent.parse_message(BUDGET))
    menu = BotSchema.of(items_of(service.requests[0])[0]["schema"])
    shipped = load_agent((*NLU_PIPELINE, {"name": RESOLVER, "deadline_ms": 60_000}))
    (greeting, *_), tracker = asyncio.run(talk(shipped, ["hello", "something cheap"], "shipped"))
    dialogue = Dialogue.of("something cheap", [("user", "hello"), ("bot", greeting)])
    (expected,) = load_meaning_reader().predict([MeaningQuestion(dialogue, menu)])
    _, cheap = (event.parse_data for event in tracker.events if isinstance(event, UserUttered))
    record = cheap["grice"]["meaning"]
    assert (record["kind"], record["meaning"]) == (expected.kind, expected.meaning)
    assert record["confidence"] == pytest.approx(expected.confidence, abs=1e-4)
    assert cheap["grice"]["failures"] == []
