"""Mode `blend`: the NLU reads a rewritten message twice, and the readings become one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conftest import NLU_PIPELINE, LoadAgent, talk, with_grice
from rasa.engine.graph import ExecutionContext, GraphSchema
from rasa.engine.storage.resource import Resource
from rasa.shared.nlu.constants import ENTITIES, INTENT, INTENT_RANKING_KEY, TEXT
from rasa.shared.nlu.training_data.message import Message

from grice.components import EntityAligner, IndirectTurnRewriter
from grice.components.blending import WEIGHT, blend, second_reading
from grice.middleware import Pipeline, PipelineSettings, TurnAnalysis
from grice.middleware.turns.blending import weight_of
from grice.models import Dialogue
from grice.models.results import Directness, Rewrite

INDIRECT = "I am on a tight budget"


def ranked(**confidences: float) -> list[dict[str, Any]]:
    return [{"name": name, "confidence": value} for name, value in confidences.items()]


def read(text: str, entities: list[dict[str, Any]] | None = None, **confidences: float) -> Message:
    """A message after an NLU."""
    ranking = ranked(**confidences)
    data = {TEXT: text, INTENT_RANKING_KEY: ranking, **({INTENT: ranking[0]} if ranking else {})}
    return Message({**data, **({ENTITIES: entities} if entities is not None else {})})


def reading(rewrite: str, weight: float, entities: list[dict[str, Any]] | None = None, **confidences: float) -> Message:
    message = read(rewrite, entities, **confidences)
    message.set(WEIGHT, weight)
    return message


@pytest.mark.parametrize(("weight", "best"), [(0.0, "inform"), (0.4, "inform"), (0.7, "find"), (1.0, "find")])
def test_confidences_are_the_weighted_mean(weight: float, best: str) -> None:
    message = read(INDIRECT, inform=0.8, find=0.2)
    blend(message, reading("Find a cheap place", weight, find=0.7, bye=0.3))
    ranking = {found["name"]: found["confidence"] for found in message.get(INTENT_RANKING_KEY)}
    wanted = {"inform": 0.8 * (1 - weight), "find": 0.2 * (1 - weight) + 0.7 * weight, "bye": 0.3 * weight}
    assert ranking == {name: pytest.approx(wanted[name]) for name in ranking}
    assert message.get(INTENT) == {"name": best, "confidence": pytest.approx(wanted[best])}
    assert list(ranking.values()) == sorted(ranking.values(), reverse=True)
    assert "intent" in message.as_dict(only_output_properties=True)


def test_only_an_intent_and_no_ranking() -> None:
    message = Message({TEXT: INDIRECT, INTENT: {"name": "inform", "confidence": 1.0}})
    other = Message({TEXT: "Find a cheap place", INTENT: {"name": "find", "confidence": 1.0}, WEIGHT: 0.6})
    blend(message, other)
    assert message.get(INTENT) == {"name": "find", "confidence": 0.6}
    nothing = Message({TEXT: INDIRECT})
    blend(nothing, Message({TEXT: "Find a cheap place", WEIGHT: 0.6}))
    assert nothing.get(INTENT) is None


def test_entities_of_both_and_what_the_user_said_wins() -> None:
    own = [{"entity": "area", "start": 10, "end": 15, "value": "north"}]
    message = read("up in the north, five of us, and poor", list(own))
    rewrite = "I need a cheap place for 5 in the south"
    found = [
        {"entity": "price", "start": 9, "end": 14, "value": "cheap"},
        {"entity": "people", "start": 25, "end": 26, "value": "5"},
        {"entity": "area", "start": 34, "end": 39, "value": "south"},
    ]
    blend(message, reading(rewrite, 0.5, found))
    area, price, people = message.get(ENTITIES)
    assert area == own[0]
    assert (price["value"], price["start"], price["end"], price["implied"]) == ("cheap", 0, 37, True)
    assert (people["value"], people["start"], people["end"]) == ("5", 17, 21)


def test_the_response_of_the_reading_that_decided() -> None:
    message, other = read(INDIRECT, inform=0.6, faq=0.4), reading("What does it cost?", 0.9, faq=1.0)
    message.set("response_selector", {"faq": {"response": {"intent_response_key": "faq/poor"}}})
    other.set("response_selector", {"faq": {"response": {"intent_response_key": "faq/cost"}}})
    blend(message, other)
    assert message.get("response_selector")["faq"]["response"]["intent_response_key"] == "faq/cost"


@pytest.mark.parametrize(
    ("analysis", "weight"),
    [
        (TurnAnalysis("a", "b", "rewrite", "indirect", Directness(0.2), Rewrite("b", 0.5, 1, True)), 0.4),
        (TurnAnalysis("a", "a", "clarify", "refused", Directness(0.0), Rewrite("b", 0.5, 1, True)), 0.0),
        (TurnAnalysis("a", "a", "pass", "direct", Directness(0.9)), 0.0),
        (TurnAnalysis("a", "a", "pass", "failed"), 0.0),
    ],
)
def test_the_weight_is_indirectness_times_confidence(analysis: TurnAnalysis, weight: float) -> None:
    assert weight_of(analysis) == pytest.approx(weight)


def test_a_rewritten_message_is_followed_by_its_second_reading() -> None:
    component = IndirectTurnRewriter.load({}, None, None, ExecutionContext(GraphSchema({})))
    direct, indirect = Message({TEXT: "Please find me a cheap restaurant.", "message_id": "1"}), Message({TEXT: INDIRECT})
    first, second, third = component.process([direct, indirect])
    analysis = Pipeline.load(PipelineSettings(mode="replace")).predict([Dialogue.of(INDIRECT, [])])[0]
    assert (first, second) == (direct, indirect)
    assert (second.get(TEXT), third.get(TEXT)) == (INDIRECT, analysis.text)
    assert third.get(WEIGHT) == second.get("grice")["weight"] == pytest.approx(weight_of(analysis))


def aligner() -> EntityAligner:
    return EntityAligner.create({}, None, Resource("aligner"), ExecutionContext(GraphSchema({})))


def test_second_readings_go_no_further() -> None:
    one, other = read("one", inform=1.0), read(INDIRECT, inform=0.6, find=0.4)
    rewritten = second_reading(other, "Find a cheap place", 0.9)
    rewritten.set(INTENT_RANKING_KEY, ranked(find=1.0))
    assert aligner().process([one, other, rewritten]) == [one, other]
    assert (one.get(INTENT)["name"], other.get(INTENT)["name"]) == ("inform", "find")


def test_a_reading_that_cannot_be_blended_costs_nothing() -> None:
    message = read(INDIRECT, inform=0.6)
    broken = reading("Find a cheap place", 0.9)
    broken.set(INTENT_RANKING_KEY, [{"name": "find", "confidence": "high"}])
    assert aligner().process([message, broken]) == [message]
    assert message.get(INTENT)["name"] == "inform"
    assert message.get("grice")["failures"][0]["error"] == "ValueError"


def test_in_a_real_bot_both_readings_count(load_agent: LoadAgent) -> None:
    agent = load_agent(with_grice())
    _, tracker = asyncio.run(talk(agent, ["I am looking for a place to eat.", INDIRECT], "blended"))
    assert tracker.current_slot_values()["price"] == "cheap"
    blended, own, rewritten = (
        asyncio.run(load_agent(pipeline).parse_message(INDIRECT))
        for pipeline in (with_grice(), NLU_PIPELINE, with_grice(mode="replace"))
    )
    weight = blended["grice"]["weight"]
    assert 0 < weight < 1
    for found in blended["intent_ranking"]:
        one, other = (_confidence(read["intent_ranking"], found["name"]) for read in (own, rewritten))
        assert found["confidence"] == pytest.approx((1 - weight) * one + weight * other)
    assert len(blended["intent_ranking"]) == len(own["intent_ranking"])


def _confidence(ranking: list[dict[str, Any]], name: str) -> float:
    confidence: float = next(found["confidence"] for found in ranking if found["name"] == name)
    return confidence
