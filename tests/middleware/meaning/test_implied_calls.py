"""What a turn means, said as calls of an agent's tools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grice.middleware.meaning.implied_calls import imply_calls
from grice.middleware.schemas import schema_of_tools
from grice.models.dialogue import Dialogue
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MeaningQuestion, PossibleMeaning, SlotMeaning, TurnMeaning


def tool(name: str, description: str, **arguments: list[str]) -> dict[str, Any]:
    """A function as OpenAI's API takes it; an argument without values is free text."""
    properties = {each: {"type": "string", **({"enum": values} if values else {})} for each, values in arguments.items()}
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    tool("find_boat", "look for a boat to rent", size=["small", "large"], harbour=["north", "south"]),
    tool("find_berth", "look for a place for one's own boat", size=["narrow", "wide"], harbour=["north", "south"]),
    tool("tides", "when high and low water is", day=[]),
]
SCHEMA = schema_of_tools(TOOLS)
SIZE, BERTH = SlotMeaning("find_boat.size", "meant", ("small",), 0.9), SlotMeaning("find_berth.size", "not_this", ("wide",), 0.6)
HARBOUR, DAY = SlotMeaning("harbour", "ambiguous", ("north", "south"), 0.5), SlotMeaning("day", "meant", ("Sunday",), 0.7)
MEANING = TurnMeaning(
    "intent",
    "find_boat",
    0.8,
    0.4,
    (
        PossibleMeaning("intent", "find_boat", 0.6),
        PossibleMeaning("act", "yes", 0.2),
        PossibleMeaning("intent", "find_berth", 0.15),
        PossibleMeaning("intent", "tides", 0.05),
    ),
    (SIZE, BERTH, HARBOUR, DAY),
    0.0,
    0.9,
    None,
    (),
)


def test_calls_have_the_tools_own_arguments() -> None:
    boat, berth, tides = imply_calls(MEANING, SCHEMA)
    assert [call.tool for call in (boat, berth, tides)] == ["find_boat", "find_berth", "tides"]
    assert {(each.name, each.said, each.values) for each in boat.arguments} == {
        ("size", "meant", ("small",)),
        ("harbour", "ambiguous", ("north", "south")),
    }
    assert {(each.name, each.said) for each in berth.arguments} == {("size", "not_this"), ("harbour", "ambiguous")}
    assert [(each.name, each.values, each.probability) for each in tides.arguments] == [("day", ("Sunday",), 0.7)]


def test_the_likeliest_call_has_the_calibrated_confidence_and_the_others_share_the_rest() -> None:
    probabilities = [call.probability for call in imply_calls(MEANING, SCHEMA)]
    assert probabilities == pytest.approx([0.8, 0.075, 0.025])  # half of 0.15 and of 0.05, as 0.2 is left of 0.4
    unsure = replace(MEANING, kind="unknown", meaning="", confidence=0.1)
    assert sum(call.probability for call in imply_calls(unsure, SCHEMA)) <= 1


def test_a_dot_in_an_arguments_own_name_stays() -> None:
    nested = {"type": "object", "properties": {"city": {"enum": ["Kiel", "Bonn"]}}}
    schema = schema_of_tools([{"name": "book", "parameters": {"type": "object", "properties": {"book": nested}}}])
    meaning = replace(
        MEANING, possible=(PossibleMeaning("intent", "book", 1.0),), slots=(SlotMeaning("book.city", "meant", ("Kiel",), 0.9),)
    )
    ((argument,),) = (call.arguments for call in imply_calls(meaning, schema))
    assert argument.name == "book.city"


def test_an_act_is_no_call() -> None:
    assert imply_calls(replace(MEANING, possible=(PossibleMeaning("act", "yes", 1.0),)), SCHEMA) == ()


def test_the_shipped_reader_proposes_a_call() -> None:
    question = MeaningQuestion(Dialogue.of("I want to rent a boat, a small one."), SCHEMA)
    (meaning,) = load_meaning_reader().predict([question])
    best = imply_calls(meaning, SCHEMA)[0]
    assert best.tool == "find_boat"
    assert best.probability > 0.5
    assert ("size", ("small",)) in {(each.name, each.values) for each in best.arguments}
