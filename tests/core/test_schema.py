"""The menu of a bot: what is taken, what is refused, and that order does not matter."""

from __future__ import annotations

from typing import Any

import pytest

from grice.models.errors import InputError
from grice.models.schema import MOST_INTENTS, BotSchema, IntentSpec, SlotSpec

KAYAKS: dict[str, Any] = {
    "intents": [
        {"name": "rent_kayak", "description": "rent a kayak", "slots": ["seats"], "examples": ["I want a kayak"]},
        {"name": "give_back", "service": "boats"},
    ],
    "slots": {"seats": {"description": "how many sit in it", "values": ["one", "two"]}, "name": None},
    "services": {"boats": "everything that floats"},
}


def test_plain_data_there_and_back() -> None:
    schema = BotSchema.of(KAYAKS)
    assert schema.intent("rent_kayak").examples == ("I want a kayak",)
    assert schema.slot("seats").values == ("one", "two")
    assert schema.slot("name").is_free
    assert BotSchema.of(schema.as_dict()) == schema


def test_slots_belong_to_intents_and_all_to_those_that_name_none() -> None:
    schema = BotSchema.of(KAYAKS)
    assert [slot.name for slot in schema.slots_of("rent_kayak")] == ["seats"]
    assert [slot.name for slot in schema.slots_of("give_back")] == ["seats", "name"]


def test_the_order_of_parts_changes_no_fingerprint_and_a_word_does() -> None:
    schema = BotSchema.of(KAYAKS)
    turned = BotSchema(schema.intents[::-1], schema.slots[::-1], schema.services)
    assert turned.fingerprint == schema.fingerprint
    intent = {"name": "rent", "examples": ["I want a kayak", "a boat, please"], "slots": ["seats", "colour"]}
    slots = {"seats": {"values": ["one", "two"]}, "colour": {"values": ["red", "blue"]}}
    within = {**intent, "examples": intent["examples"][::-1], "slots": intent["slots"][::-1]}
    turned_slots = {name: {"values": slots[name]["values"][::-1]} for name in ("colour", "seats")}
    one, same = BotSchema.of({"intents": [intent], "slots": slots}), BotSchema.of({"intents": [within], "slots": turned_slots})
    assert one.fingerprint == same.fingerprint
    other = BotSchema.of({**KAYAKS, "services": {"boats": "everything that swims"}})
    assert other.fingerprint != schema.fingerprint


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], r"schema: got \[\]; allowed: a mapping with intents, slots, services"),
        ({}, "no intent and no slot"),
        ({"intent": []}, "schema, key: got 'intent'; allowed: intents, slots, services"),
        ({"intents": {}}, "schema, intents: got {}; allowed: a list"),
        ({"intents": ["rent"]}, "schema, intent 0: got 'rent'; allowed: a mapping"),
        ({"intents": [{"description": "x"}]}, "schema, intent 0: got 'no name'"),
        ({"intents": [{"name": "a"}, {"name": "a"}]}, "schema, intents: got 'a'; allowed: each name once"),
        ({"intents": [{"name": " "}]}, "a text that is not blank"),
        ({"intents": [{"name": "a", "examples": "hi"}]}, "examples of intent a: got 'hi'; allowed: a list"),
        ({"intents": [{"name": "a", "slots": ["b"]}]}, "slot of intent a: got 'b'; allowed: none"),
        ({"intents": [{"name": "a", "service": "b"}], "services": {"c": ""}}, "service of intent a: got 'b'; allowed: c"),
        ({"slots": {"a": {"values": "cheap"}}}, "values of slot a: got 'cheap'; allowed: a list"),
        ({"slots": {"a": {"values": ["x", "x"]}}}, "values of slot a: got 'x'; allowed: each once"),
        ({"slots": {"a": {"values": [1]}}}, "values of slot a, at 0: got 1"),
        ({"slots": {"a": {"description": "x" * 1001}}}, "at most 1000 characters"),
        ({"slots": {"a": {"description": "\ud800"}}}, "valid Unicode"),
        ({"intents": [{"name": f"i{n}"} for n in range(MOST_INTENTS + 1)]}, f"allowed: at most {MOST_INTENTS}"),
    ],
)
def test_what_cannot_be_is_refused_by_name(content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        BotSchema.of(content)


def test_made_by_hand_it_is_checked_too() -> None:
    with pytest.raises(InputError, match="a IntentSpec object"):
        BotSchema(("rent",))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="intent: got 'fly'; allowed: rent"):
        BotSchema((IntentSpec("rent"),)).intent("fly")
    assert SlotSpec("size").is_free
