"""Menus from a Rasa domain and training examples that are already loaded."""

from __future__ import annotations

from typing import Any

import pytest

from grice.middleware.schemas import schema_of_rasa
from grice.models.errors import InputError
from grice.models.schema import MOST_CHOICES, MOST_EXAMPLES

DOMAIN: dict[str, Any] = {
    "version": "3.1",
    "intents": ["greet", {"rent": {"use_entities": True}}, "faq", "affirm", "nlu_fallback", "restart"],
    "entities": ["color", "weather", {"place": {"roles": ["from", "to"]}}],
    "slots": {
        "size": {
            "type": "categorical",
            "values": ["small", "large", 2, None, "__other__"],
            "mappings": [{"type": "from_entity", "entity": "size", "intent": "rent"}],
        },
        "hull": {"type": "text", "mappings": [{"type": "from_entity", "entity": "color"}]},
        "start": {"type": "text", "mappings": [{"type": "from_entity", "entity": "place", "role": "from"}]},
        "target": {"type": "text", "mappings": [{"type": "from_entity", "entity": "place", "role": "to", "not_intent": "greet"}]},
        "sure": {"type": "bool", "mappings": [{"type": "from_intent", "intent": ["affirm"], "value": True}]},
        "note": {"type": "text", "mappings": [{"type": "from_text", "conditions": [{"active_loop": "rent_form"}]}]},
        "offered": {"type": "text", "mappings": [{"type": "custom"}]},
        "guests": {"type": "float", "mappings": [{"type": "custom"}]},
        "topic": {"type": "text", "mappings": [{"type": "from_trigger_intent", "intent": "rent", "value": "boats"}]},
    },
    "forms": {"rent_form": {"required_slots": ["guests", "topic"]}, "other_form": {"required_slots": ["note"]}, "bare": None},
}
EXAMPLES = {
    "greet": ["hello", "hello ", "hi from [Ely](place:to)", 'to [Ely]{"entity": "place", "role": "to"}'],
    "rent": [
        "a [small](size) kayak in [red](color)",
        'from [Ely]{"entity": "place", "role": "from"} to [Bath]{"entity": "place", "role": "to"}',
        'a [crimson]{"entity": "color", "value": "red"} one, it is [sunny](weather)',
    ],
    "faq/ask_hours": ["when do you open?"],
    "faq/ask_price": ["what is it?"],
    "out_of_scope/weather": ["will it rain?"],
    "session_start": ["x"],
}


def test_intents_without_those_of_rasa_itself() -> None:
    schema = schema_of_rasa(DOMAIN, EXAMPLES)
    assert [intent.name for intent in schema.intents] == ["greet", "rent", "affirm", "faq/ask_hours", "faq/ask_price"]
    assert schema.intent("greet").examples == ("hello", "hi from Ely", "to Ely")
    assert schema.intent("rent").examples == ("a small kayak in red", "from Ely to Bath", "a crimson one, it is sunny")
    assert schema.intent("affirm").examples == ()


def test_slots_that_users_fill_and_entities_that_fill_none() -> None:
    schema = schema_of_rasa(DOMAIN, EXAMPLES)
    assert {slot.name: slot.values for slot in schema.slots} == {
        "size": ("small", "large", "2"),
        "hull": (),
        "start": (),
        "target": (),
        "sure": ("true", "false"),
        "note": (),
        "guests": (),
        "topic": (),
        "weather": (),
    }


def test_which_slots_belong_to_which_intent() -> None:
    schema = schema_of_rasa(DOMAIN, EXAMPLES, triggers={"faq": ["other_form"]})
    assert schema.intent("rent").slots == ("size", "hull", "start", "target", "guests", "topic", "weather")
    assert schema.intent("greet").slots == ()
    assert schema.intent("affirm").slots == ("sure",)
    assert schema.intent("faq/ask_hours").slots == ("note",)


def test_lookup_tables_give_values_and_long_ones_do_not() -> None:
    schema = schema_of_rasa(DOMAIN, EXAMPLES, lookups={"place": ["Ely", "Bath", "Ely"], "weather": ["sun"] * 2})
    assert schema.slot("start").values == schema.slot("target").values == ("Ely", "Bath")
    assert schema.slot("weather").values == ("sun",)
    ways = schema_of_rasa(DOMAIN, EXAMPLES, lookups={"place": ["Ely", "eel town", "Bath"]}, synonyms={"Ely": ["Eel town"]})
    assert ways.slot("start").values == ("Ely", "Bath")
    many = schema_of_rasa(DOMAIN, EXAMPLES, lookups={"place": [str(number) for number in range(MOST_CHOICES + 1)]})
    assert many.slot("start").is_free


@pytest.mark.parametrize(
    ("annotated", "synonyms", "values"),
    [
        (["[crimson](color)", "[navy](color)"], {"red": ["crimson"], "blue": ["Navy"]}, ("red", "blue")),
        (['[crimson]{"entity": "color", "value": "red"}', "[red](color)", "[navy](color:blue)"], {}, ("red", "blue")),
        (["[crimson](color)", "[navy](color)"], {"red": ["crimson"]}, ()),
        (["[crimson](color)"], {"red": ["crimson"]}, ()),
        ([], {"red": ["crimson"], "blue": ["navy"]}, ()),
    ],
    ids=["synonyms", "annotated", "one-without", "one-value", "not-annotated"],
)
def test_synonyms_give_values_where_every_span_has_one(
    annotated: list[str], synonyms: dict[str, list[str]], values: tuple[str, ...]
) -> None:
    assert schema_of_rasa(DOMAIN, {"rent": annotated}, synonyms=synonyms).slot("hull").values == values


def test_of_many_examples_some_are_kept_evenly_spread() -> None:
    lines = [f"hello number {number}" for number in range(1000)]
    kept = schema_of_rasa({}, {"greet": lines}).intent("greet").examples
    assert len(kept) == MOST_EXAMPLES
    assert (kept[0], kept[32]) == (lines[0], lines[500])
    assert len(schema_of_rasa({}, {"greet": ["x" * 2000, " ", "hi\tthere"]}).intent("greet").examples) == 1


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ({"intents": {"greet": 1}}, "intents: got {'greet': 1}; allowed: a list of names"),
        ({"entities": [1]}, "entities: got 1; allowed: a name"),
        ({"slots": ["a"]}, r"slots: got \['a'\]; allowed: a mapping"),
        ({"slots": {"a": None}}, "slot a: got None; allowed: a mapping"),
        ({"slots": {"a": {"type": "categorical", "values": "x"}}}, "values of slot a: got 'x'; allowed: a list"),
        ({"slots": {"a": {"mappings": {"type": "from_text"}}}}, "mappings of slot a"),
        ({"forms": ["a"]}, "forms: got"),
        ({"forms": {"a": {"required_slots": "b"}}}, "form a, required_slots: got 'b'; allowed: a list"),
        ({}, "no intent and no slot"),
    ],
)
def test_what_cannot_be_is_refused(domain: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        schema_of_rasa(domain, {})


def test_an_annotation_that_rasa_cannot_read_names_its_intent() -> None:
    with pytest.raises(InputError, match="example of intent greet, annotation"):
        schema_of_rasa({}, {"greet": ["[Ely]{city}"]})
