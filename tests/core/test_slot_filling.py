from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from grice.middleware.capabilities.slots import MOST_SLOTS, Questions, Reports, SlotReporter
from grice.middleware.slots.filling import DEFAULT_CONFIDENCE, SlotFilling, SlotFillingSettings
from grice.models import Dialogue
from grice.models.errors import InputError, SettingsError
from grice.models.results import SlotValues
from grice.models.slots.questions import SlotQuestion

PRICE = {"description": "what it costs", "values": ["cheap", "dear"]}
PARKING = {"description": "whether one can park", "values": [True, False], "entity": "parking_lot"}
BUDGET = Dialogue.of("Rent is due tomorrow.", [("bot", "What may it cost?")])


class Resolver:
    """Gives what it is told to, slot by slot, or fails."""

    def __init__(self, **found: SlotValues | Exception) -> None:
        self.found = found
        self.batches: list[int] = []

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        self.batches.append(len(questions))
        return [self._one(question) for question in questions]

    def _one(self, question: SlotQuestion) -> SlotValues:
        found = self.found[question.slot]
        if isinstance(found, Exception):
            raise found
        return found


def filling(resolver: Resolver, **more: Any) -> SlotFilling:
    slots = {name: {**PRICE, "entity": f"the {name}"} for name in resolver.found}
    return SlotFilling(SlotFillingSettings.of(slots=slots, **more), SlotReporter(resolver))


@pytest.mark.parametrize(
    ("found", "decided"),
    [
        (SlotValues((0.9, 0.05), 0.05, "cheap", False), ("cheap", 0.9, True)),
        (SlotValues((0.2, 0.8), 0.0, "dear", False), ("dear", 0.8, True)),
        (SlotValues((0.79, 0.2), 0.01, "cheap", False), ("cheap", 0.79, False)),
        (SlotValues((0.85, 0.1), 0.05, None, True), ("cheap", 0.85, False)),
        (SlotValues((0.0, 0.1), 0.9, None, False), ("dear", 0.1, False)),
    ],
    ids=["sure", "just sure", "not sure", "ambiguous", "not mentioned"],
)
def test_a_slot_is_filled_when_its_value_is_likely_enough(found: SlotValues, decided: tuple[str, float, bool]) -> None:
    chosen = filling(Resolver(price=found), confidence=0.8)
    (decision,) = chosen.decide(BUDGET, chosen.settings.slots)
    assert (decision.value, decision.confidence, decision.filled) == decided
    assert decision.slot.entity == "the price"


def test_a_slot_that_fails_does_not_take_others_with_it() -> None:
    resolver = Resolver(price=SlotValues((1.0, 0.0), 0.0, "cheap", False), broken=RuntimeError("down"))
    chosen = filling(resolver)
    price, broken = chosen.decide(BUDGET, chosen.settings.slots)
    assert (price.filled, broken.filled, broken.value) == (True, False, None)
    (failure,) = broken.report.failures
    assert (failure.stage, failure.error, failure.message) == ("slots", "RuntimeError", "slot broken: down")
    assert resolver.batches == [2, 1, 1]
    assert chosen.decide(BUDGET, []) == []


def test_many_slots_are_asked_in_parts() -> None:
    resolver = Resolver(**{f"slot {number}": SlotValues((1.0, 0.0), 0.0, "cheap", False) for number in range(40)})
    asked: list[int] = []

    class Reporter(SlotReporter):
        def predict(self, asked_parts: Sequence[Questions]) -> list[Reports]:
            asked.extend(map(len, asked_parts))
            return super().predict(asked_parts)

    chosen = filling(resolver)
    decisions = SlotFilling(chosen.settings, Reporter(resolver)).decide(BUDGET, chosen.settings.slots)
    assert [decision.slot.name for decision in decisions] == list(resolver.found)
    assert asked == [MOST_SLOTS, MOST_SLOTS, 40 - 2 * MOST_SLOTS]


def test_a_resolver_that_gives_too_few_results_has_failed() -> None:
    class Short:
        def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
            return []

    ((report,),) = SlotReporter(Short()).predict([(SlotQuestion(BUDGET, "price", "what it costs", ("cheap", "dear")),)])
    assert (report.found, report.failures[0].message) == (None, "slot price: the resolver gave 0 results for 1 slots")


def test_a_value_that_the_resolver_cannot_read_is_the_callers_matter() -> None:
    unread = InputError("value of slot price", "дорого", "a value with Latin letters or digits")
    chosen = filling(Resolver(price=unread, area=SlotValues((1.0, 0.0), 0.0, "cheap", False)))
    with pytest.raises(InputError, match="value of slot price: got 'дорого'"):
        chosen.decide(BUDGET, chosen.settings.slots)


def test_the_slots_of_a_configuration() -> None:
    settings = SlotFillingSettings.of(slots={"price": PRICE, "parking": PARKING, "stars": {**PRICE, "values": [1, 2]}})
    assert settings.confidence == DEFAULT_CONFIDENCE
    assert [(slot.name, slot.entity, slot.values) for slot in settings.slots] == [
        ("price", "price", ("cheap", "dear")),
        ("parking", "parking_lot", ("True", "False")),
        ("stars", "stars", ("1", "2")),
    ]
    assert settings.slots[0].question(BUDGET) == SlotQuestion(BUDGET, "price", "what it costs", ("cheap", "dear"))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "setting slots: got None; allowed: one or more slots"),
        ({"slots": {}}, r"setting slots: got {}; allowed: one or more slots"),
        ({"slots": ["price"]}, r"setting slots: got \['price'\]; allowed: one or more slots, each a mapping of description"),
        ({"slots": {"price": "cheap"}}, "setting slots, price: got 'cheap'; allowed: a mapping of description"),
        (
            {"slots": {"price": {**PRICE, "colour": "red"}}},
            "setting slots, price, colour: got 'red'; allowed: no such key; the keys are: description, entity, values",
        ),
        ({"slots": {"price": {"values": ["a", "b"]}}}, "setting slots, price, description: got None; allowed: a text"),
        ({"slots": {"price": {**PRICE, "entity": " "}}}, "setting slots, price, entity: got ' '; allowed: a text"),
        ({"slots": {"price": {"description": "cost"}}}, "setting slots, price, values: got None; allowed: a list"),
        ({"slots": {"price": {**PRICE, "values": [[]]}}}, r"setting slots, price, values: got \[\[\]\]; allowed: a list"),
        ({"slots": {"price": PRICE}, "confidence": 1.5}, "setting confidence: got 1.5; allowed: 0.0 to 1.0"),
        ({"slots": {"price": PRICE}, "slots_model": 5}, "setting slots_model: got 5; allowed: a string"),
    ],
)
def test_what_a_configuration_may_not_say(config: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        SlotFillingSettings.of(**config)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "values of slot price: got '0 values'; allowed: 2 to 64"),
        ([*range(500)], "values of slot price: got '500 values'; allowed: 2 to 64"),
        (["cheap", "cheap"], "values of slot price: got .*; allowed: each value once"),
        (["cheap", ""], "value of slot price: got ''"),
    ],
)
def test_values_that_cannot_be_asked_for(values: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SlotFillingSettings.of(slots={"price": {**PRICE, "values": values}})
