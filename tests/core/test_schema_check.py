"""What a check finds in a menu, and what it leaves alone; with the shipped reader of meaning where meaning counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from grice.middleware.schemas.check import KINDS, SchemaFinding, check_schema
from grice.middleware.schemas.check.confusions import MOST_LISTED, MOST_READ
from grice.models.meaning import MeaningQuestion, TurnMeaning, load_meaning_reader
from grice.models.meaning.results import PossibleMeaning
from grice.models.schema import BotSchema

WEATHER = tuple(f"Will the weather be {kind} tomorrow?" for kind in ("warm", "cold", "sunny", "rainy", "windy"))
PIZZA = tuple(f"I want to order a {kind} pizza." for kind in ("large", "small", "margherita", "vegan", "spicy"))
GOOD: dict[str, Any] = {
    "intents": [
        {"name": "weather", "examples": WEATHER, "slots": ["day"]},
        {"name": "order_pizza", "examples": PIZZA, "slots": ["size"]},
    ],
    "slots": {"day": {"description": "which day"}, "size": {"values": ["small", "large"]}},
}


def check(content: dict[str, Any]) -> list[SchemaFinding]:
    return check_schema(BotSchema.of(content), load_meaning_reader())


def found(content: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    return [(finding.kind, finding.names) for finding in check(content)]


def test_nothing_is_found_in_a_good_menu() -> None:
    assert check(GOOD) == []


def test_what_is_missing() -> None:
    menu = {
        "intents": [{"name": "greet"}, {"name": "rent", "description": "rent a kayak", "slots": ["size"]}],
        "slots": {"size": None, "color": {"description": "of the hull"}},
    }
    assert found(menu) == [
        ("intent-without-text", ("greet",)),
        ("slot-without-text", ("size",)),
        ("slot-of-no-intent", ("color",)),
    ]
    assert found({"slots": {"color": {"description": "of the hull"}}}) == []


@pytest.mark.parametrize("name", ["intent_1", "Intent2", "slot", "x", "42", "slot-a", "tool.arg1", "name_2", "--"])
def test_names_that_say_nothing(name: str) -> None:
    assert ("empty-name", (name,)) in found({"slots": {name: {"description": "a thing"}}})
    assert ("empty-name", (name,)) in found({"intents": [{"name": name, "description": "a thing"}]})


@pytest.mark.parametrize(
    "name", ["name", "service", "rent_kayak", "Hotels_1.FindHotel", "faq/ask_hours", "天气", "test_drive", "object"]
)
def test_names_that_say_something(name: str) -> None:
    assert found({"slots": {name: {"description": "a thing"}}}) == []


@pytest.mark.parametrize(
    ("values", "alike"),
    [
        (["New York", "new-york", "Boston"], [("New York", "new-york")]),
        (["colour", "color"], [("colour", "color")]),
        (["margherita", "margerita"], [("margherita", "margerita")]),
        (["Saffron", "Saffrom"], [("Saffron", "Saffrom")]),
        (["male", "female"], []),
        (["cat", "car"], []),
        (["room 101", "room 102"], []),
        (["1", "-1", "10"], []),
        (["+", "-"], []),
        (["inexpensive", "expensive"], []),
    ],
)
def test_values_that_look_alike(values: list[str], alike: list[tuple[str, str]]) -> None:
    findings = check({"slots": {"kind": {"values": values}}})
    assert [finding.names for finding in findings] == alike
    assert {finding.kind for finding in findings} <= {"like-values"}


def test_an_example_in_the_wrong_intent_is_shown_with_both_names() -> None:
    wrong = {"name": "order_pizza", "examples": [*PIZZA, "Will it be warm or will it rain?"], "slots": ["size"]}
    (finding,) = check({**GOOD, "intents": [GOOD["intents"][0], wrong]})
    assert (finding.kind, finding.names) == ("like-intents", ("order_pizza", "weather"))
    assert finding.examples == ("Will it be warm or will it rain?",)
    assert finding.message.startswith("1 of 6 examples are read as weather; change the examples")


def test_two_intents_of_one_meaning_cannot_be_told_apart() -> None:
    menu = {
        "intents": [
            {"name": "weather", "examples": ["Will it rain tomorrow?", "How warm is it outside?"]},
            {"name": "forecast", "examples": ["Is it going to rain tomorrow?", "How hot is it outside?"]},
            {"name": "order_pizza", "examples": PIZZA},
        ]
    }
    pairs = [names for kind, names in found(menu) if kind == "like-intents"]
    assert set(pairs) == {("weather", "forecast"), ("forecast", "weather")}


def test_descriptions_alone_are_read_by_names() -> None:
    menu = {
        "intents": [
            {"name": "rent_kayak", "description": "order a pizza with cheese"},
            {"name": "order_pizza", "description": "get a pizza delivered"},
            {"name": "play_music", "description": "listen to a song"},
        ]
    }
    (finding,) = check(menu)
    assert finding.names == ("rent_kayak", "order_pizza")
    assert finding.message.startswith("its description is read as order_pizza")


def test_what_the_reader_tells_apart_is_left_alone() -> None:
    menu = {
        "intents": [
            {"name": "book_repair", "description": "have a bicycle repaired"},
            {"name": "buy_bike", "description": "buy a bicycle"},
        ]
    }
    assert check(menu) == []


class Recorded:
    """Reads every turn as the first intent of its menu, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[MeaningQuestion] = []

    def predict(self, asked: Sequence[MeaningQuestion], /) -> list[TurnMeaning]:
        self.asked += asked
        possible = (PossibleMeaning("act", "none", 0.5), PossibleMeaning("intent", asked[0].schema.intents[0].name, 0.25))
        return [TurnMeaning("unknown", "", 0.5, 0.25, possible, (), 0.0, 0.5, None, ())]


def test_each_example_is_read_against_a_menu_without_it_and_without_slots() -> None:
    reader, told = Recorded(), []
    lonely = {"name": "greet", "examples": ["Hello there!"]}
    findings = check_schema(
        BotSchema.of({**GOOD, "intents": [*GOOD["intents"], lonely]}), reader, lambda done, of: told.append((done, of))
    )
    assert told == [(place, 11) for place in range(1, 12)]
    assert [question.dialogue.last.text for question in reader.asked] == [*WEATHER, *PIZZA, "Hello there!"]
    for question, own in zip(reader.asked[:-1], 5 * ["weather"] + 5 * ["order_pizza"], strict=True):
        left = {intent.name: len(intent.examples) for intent in question.schema.intents}
        assert left == {"weather": 5, "order_pizza": 5, "greet": 1, own: 4}
        assert question.dialogue.last.text not in question.schema.intent(own).examples
        assert not question.schema.slots
    assert [(intent.name, intent.examples) for intent in reader.asked[-1].schema.intents] == [
        ("weather", ()),
        ("order_pizza", ()),
        ("greet", ()),
    ]
    assert [(finding.names, len(finding.examples)) for finding in findings] == [
        (("order_pizza", "weather"), 5),
        (("greet", "weather"), 1),
    ]


def test_of_very_many_examples_some_are_read_of_each_intent() -> None:
    reader = Recorded()
    many = [{"name": f"topic_{at}", "examples": [f"about {at}, number {number}" for number in range(64)]} for at in range(60)]
    findings = check_schema(BotSchema.of({"intents": many}), reader)
    assert len(reader.asked) == MOST_READ
    assert max(len(intent.examples) for question in reader.asked for intent in question.schema.intents) == MOST_LISTED // 60
    assert findings[0].message.startswith("10 of 10 (of 64) examples are read as topic_0")


def test_the_pair_with_the_most_examples_comes_first() -> None:
    menu = {
        "intents": [
            {"name": "order_pizza", "examples": [*PIZZA, "Will it rain tomorrow?", "Is the weather cold?"]},
            {"name": "weather", "examples": [*WEATHER, "Please order a pizza."]},
        ]
    }
    assert [finding.names for finding in check(menu)] == [("order_pizza", "weather"), ("weather", "order_pizza")]


def test_every_kind_is_one_of_the_known() -> None:
    menu = {
        "intents": [{"name": "intent_1"}, {"name": "a", "examples": PIZZA}, {"name": "b", "examples": PIZZA}],
        "slots": {"c": None, "d": {"values": ["red", "Red"]}},
    }
    assert {kind for kind, _ in found(menu)} == set(KINDS)
