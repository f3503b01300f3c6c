from __future__ import annotations

from typing import Any

import pytest

from grice.middleware import appended
from grice.middleware.turns.entity_alignment import align_entities

Entity = dict[str, Any]


def found(text: str, written: str, entity: str = "thing", **more: Any) -> Entity:
    """An entity that an NLU found where `text` has `written`."""
    start = text.index(written)
    return {"entity": entity, "start": start, "end": start + len(written), "value": written, **more}


def spans(entities: list[Entity], original: str) -> list[str]:
    return [original[entity["start"] : entity["end"]] for entity in entities]


@pytest.mark.parametrize(
    ("original", "rewrite", "written", "supported_by"),
    [
        ("Is there a museum in the NORTH of town?", "Find a museum in the north", "north", "NORTH"),
        ("My Mum loves thai food", "I want a Thai restaurant", "Thai", "thai"),
        ("We are five, all hungry", "Book a table for 5 people", "5", "five"),
        ("There are 5 of us", "Book a table for five people", "five", "5"),
        ("twenty-five guests come along", "Book it for 25 people", "25", "twenty-five"),
        ("I get out of work at 5 p.m. sharp", "Book it at 17:00", "17:00", "5 p.m"),
        ("we meet at half past six there", "Book it for 18:30", "18:30", None),
        ("Tues would suit me", "Book it for Tuesday", "Tuesday", "Tues"),
        ("those restaurants look nice", "I want a restaurant", "restaurant", "restaurants"),
        ("nothing inexpensive around?", "I want a cheap place", "cheap", "inexpensive"),
        ("the Café Olé maybe", "Book the Cafe Ole", "Cafe Ole", "Café Olé"),
        ("I do not have that much money", "I want a cheap place", "cheap", None),
        ("the northern lights", "a place in the art quarter", "art", None),
    ],
)
@pytest.mark.parametrize("mode", ["replace", "append"])
def test_an_entity_of_the_rewrite_is_moved_to_what_supports_it(
    original: str, rewrite: str, written: str, supported_by: str | None, mode: str
) -> None:
    text = rewrite if mode == "replace" else appended(original, rewrite)
    start = text.rindex(written)
    entity = {"entity": "thing", "start": start, "end": start + len(written), "value": written, "extractor": "E"}
    aligned = align_entities([entity], original, text)
    if supported_by is None:
        assert aligned == [{**entity, "start": 0, "end": len(original), "implied": True}]
    else:
        assert spans(aligned, original) == [supported_by]
        assert aligned[0]["value"] == written
        assert "implied" not in aligned[0]
        assert aligned[0]["extractor"] == "E"
    assert align_entities(aligned, original, text) == aligned
    assert align_entities(aligned, original, original) == aligned


def test_what_lies_in_the_original_stays_as_it_is() -> None:
    original = "a table for two, somewhere cheap"
    text = appended(original, "Book a cheap table for two people")
    entities = [found(text, "two", "people", role="guests", confidence_entity=0.9), found(text, "cheap", "price")]
    assert align_entities(entities, original, text) == entities


def test_what_crosses_the_end_of_the_original_is_cut_there() -> None:
    original = "take me to Mill Road "
    text = appended(original, "Find a taxi")
    aligned = align_entities(
        [found(text, "Mill Road. Find", "place"), found(text, "Road. Find", "synonym", value="x")], original, text
    )
    assert spans(aligned, original) == ["Mill Road", "Road"]
    assert aligned[0]["value"] == "Mill Road"


def test_what_the_user_said_wins_over_the_rewrite() -> None:
    original = "Something thai in the centre"
    text = appended(original, "Find an Italian place in the Centre for 2 to 4")
    entities = [
        found(text, "thai", "cuisine"),
        found(text, "Italian", "cuisine"),
        found(text, "Italian", "cuisine", role="other"),
        found(text, "centre", "area"),
        found(text, "Centre", "area"),
        found(text, "2", "people"),
        found(text, "2", "people"),
        found(text, "4", "people"),
    ]
    aligned = align_entities(entities, original, text)
    assert [(entity["entity"], entity["value"], entity.get("implied", False)) for entity in aligned] == [
        ("cuisine", "thai", False),
        ("cuisine", "Italian", True),
        ("area", "centre", False),
        ("people", "2", True),
        ("people", "4", True),
    ]


def test_two_entities_of_one_value_get_a_span_each() -> None:
    original = "two of us, two nights"
    text = "Book a room for 2 people and 2 nights."
    places = [place for place, character in enumerate(text) if character == "2"]
    entities = [
        {"entity": name, "start": place, "end": place + 1, "value": "2"}
        for name, place in zip(("people", "nights"), places, strict=True)
    ]
    assert [entity["start"] for entity in align_entities(entities, original, text)] == [0, 11]


def test_a_synonym_is_found_by_its_value_or_by_what_was_written() -> None:
    text = "I want a low-cost place in the middle of town"
    entities = [found(text, "low-cost", "price", value="cheap"), found(text, "middle of town", "area", value="zone_1")]
    assert spans(align_entities(entities, "cheap, middle of town please", text), "cheap, middle of town please") == [
        "cheap",
        "middle of town",
    ]


def test_a_rewrite_that_only_begins_like_the_original_is_no_appended_one() -> None:
    text = "Italian food please"
    assert align_entities([found(text, "Italian")], "It", text)[0]["implied"]


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"entity": "thing", "value": "north"},
        {"entity": "thing", "start": None, "end": 3},
        {"entity": "thing", "start": 0, "end": 900, "value": {"from": 1, "to": 2}},
        {"entity": "thing", "start": 5, "end": 2, "value": ["a"]},
        {"entity": "thing", "start": True, "end": 1.5, "value": 7},
        {"entity": ["thing"], "role": {}, "start": -4, "end": -1, "value": "…"},
    ],
)
@pytest.mark.parametrize("text", ["somewhere else", "to the park. Go to the park", "to the park"])
def test_odd_entities_do_not_raise_and_lie_within_the_original(odd: Entity, text: str) -> None:
    aligned = align_entities([odd], "to the park", text)
    assert aligned == [{**odd, "start": 0, "end": 11, "implied": True}]
    assert align_entities(aligned, "to the park", text) == aligned


def test_symbols_and_numbers_are_values_too() -> None:
    assert spans(align_entities([{"entity": "mood", "value": "☕"}], "a ☕ now", "bring coffee"), "a ☕ now") == ["☕"]
    assert spans(align_entities([{"entity": "people", "value": 4}], "four of us", "for us"), "four of us") == ["four"]
