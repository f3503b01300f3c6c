"""Slots of schemas and of Rasa domains, and every way in which they cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from iur_bad_domains import BAD_DOMAINS
from iur_fixtures import DOMAIN, GARDEN, PRICE, SCHEMA, write_domain, write_schema

from grice.middleware.authoring.indirect_requests import (
    MAX_VALUES,
    BotSlot,
    RequestSlot,
    bot_slots,
    default_bot_slots,
    mapping_text,
    read_domain,
    read_mapping,
    slots_of_domain,
    slots_of_schema,
)
from grice.models.errors import DataCorrupt, DataNotFound, GriceError, InputError


def test_the_categorical_slots_of_a_schema(tmp_path: Path) -> None:
    slots = slots_of_schema(write_schema(tmp_path))
    assert [(slot.service, slot.name) for slot in slots] == [
        ("Diner_1", "price"),
        ("Diner_1", "has_garden"),
        ("Film_1", "subtitles"),
    ]
    assert slots[0] == PRICE
    assert slots[2].situation == "User wants this: Plays films"
    assert slots_of_schema(tmp_path / "schema.json", ["Diner_1"], ["has_garden"]) == [GARDEN]


def test_a_boolean_slot_in_words() -> None:
    assert GARDEN.is_boolean
    assert GARDEN.phrasings == ("the place has a garden", "it is not so that the place has a garden")
    assert PRICE.phrasings == PRICE.values


@pytest.mark.parametrize(
    ("description", "clause"),
    [
        ("Boolean flag indicating if dogs may come in", "dogs may come in"),
        ("Whether the ticket can be returned or not", "the ticket can be returned"),
        ("Whether to take a large suitcase along", "I can take a large suitcase along"),
        ("Outdoor seating.", "there is outdoor seating"),
        ("with milk", "there is milk"),
        ("is vegetarian", "it is vegetarian"),
    ],
)
def test_what_is_so_where_a_slot_is_true(description: str, clause: str) -> None:
    assert RequestSlot("s", "n", description, ("True", "False"), "User wants something").clause == clause


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], r"Diner_1, slot price, values: got \[\]; allowed: at least 2 values"),
        (["moderate"], r"got \['moderate'\]; allowed: at least 2 values"),
        (["moderate", "luxury", "moderate"], r"got \"'moderate' and 'moderate'\"; allowed: each value once"),
        (["moderate", "Moderate "], r"'moderate' and 'Moderate '.*whatever its case"),
        ([f"value {number}" for number in range(500)], rf"got '500 values'; allowed: 2 to {MAX_VALUES} values"),
        (["cheap", "高い"], r"value: got '高い'; allowed: letters of the Latin script"),
        (["cheap", "дорого"], r"Latin script"),
        (["cheap", "…"], r"value: got '…'; allowed: a text with a letter or a digit"),
        (["cheap", "<ambiguous>"], r"value: got '<ambiguous>'"),
    ],
)
def test_values_that_cannot_be_used(tmp_path: Path, values: list[str], message: str) -> None:
    slot = {**SCHEMA[0]["slots"][0], "possible_values": values}
    path = write_schema(tmp_path, [{**SCHEMA[0], "slots": [slot]}])
    with pytest.raises(InputError, match=message):
        slots_of_schema(path)
    domain = write_domain(tmp_path, DOMAIN.replace('[small, large, "2"]', repr(values)))
    with pytest.raises(InputError, match=message.replace("Diner_1, slot price", "bot, slot size")):
        slots_of_domain(read_domain(domain), ["size"])


def test_accents_and_digits_are_no_other_script() -> None:
    assert RequestSlot("s", "n", "d", ("Café crème", "2", "São Paulo"), "u").values[0] == "Café crème"


@pytest.mark.parametrize(
    ("services", "slots", "message"),
    [
        (["Taxi_1"], [], "service: got 'Taxi_1'; allowed: Diner_1, Film_1"),
        ([], ["city"], "slot: got 'city'; allowed: categorical slots: has_garden, price, subtitles"),
        (["Film_1"], ["price"], "slot: got 'price'; allowed: categorical slots: subtitles"),
    ],
)
def test_services_and_slots_that_are_not_there(tmp_path: Path, services: list[str], slots: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        slots_of_schema(write_schema(tmp_path), services, slots)


@pytest.mark.parametrize("schema", [{"service_name": "x"}, [{"slots": []}], ["x"], [{**SCHEMA[0], "slots": [{"name": "a"}]}]])
def test_what_is_no_schema(tmp_path: Path, schema: object) -> None:
    with pytest.raises(DataCorrupt, match="not in the format of an SGD schema"):
        slots_of_schema(write_schema(tmp_path, schema))


def test_a_schema_without_categorical_slots_or_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no categorical slot"):
        slots_of_schema(write_schema(tmp_path, [{**SCHEMA[0], "slots": SCHEMA[0]["slots"][2:]}]))
    with pytest.raises(DataNotFound):
        slots_of_schema(tmp_path / "nowhere.json")
    (tmp_path / "torn.json").write_text("[{")
    with pytest.raises(DataCorrupt):
        slots_of_schema(tmp_path / "torn.json")


def test_the_slots_of_a_domain_that_users_fill(tmp_path: Path) -> None:
    slots = slots_of_domain(read_domain(write_domain(tmp_path)))
    assert [(slot.name, slot.values) for slot in slots] == [
        ("size", ("small", "large", "2")),
        ("roast", ("light", "dark")),
        ("with_milk", ("True", "False")),
    ]
    assert slots[0].situation == "User talks to a bot about coffee and is choosing the size"
    assert slots[2].description == "with milk"
    (named,) = slots_of_domain(read_domain(tmp_path / "domain.yml"), ["basket"])
    assert named.values == ("empty", "full")


def test_how_a_domain_says_values(tmp_path: Path) -> None:
    domain = read_domain(write_domain(tmp_path))
    found = bot_slots(domain, slots_of_domain(domain))
    assert found == {
        "size": BotSlot("size", intent="order"),
        "roast": BotSlot("roast", "bean", intent="inform"),
        "with_milk": BotSlot(intents={"no_milk": "False", "inform": "True"}, intent="inform"),
    }
    assert found["with_milk"].intent_of("False") == "no_milk"
    assert bot_slots(domain, slots_of_domain(domain), "order")["roast"].intent == "order"
    with pytest.raises(InputError, match="intent: got 'sing'; allowed: inform, order, no_milk"):
        bot_slots(domain, slots_of_domain(domain), "sing")


def test_a_slot_that_no_intent_gives(tmp_path: Path) -> None:
    text = DOMAIN.replace("  - inform\n", "").replace("      - {type: from_intent, intent: inform, value: true}\n", "")
    domain = read_domain(write_domain(tmp_path, text))
    with pytest.raises(InputError, match=r"slot roast, intent .* name it with --intent: order, no_milk"):
        bot_slots(domain, slots_of_domain(domain))


@pytest.mark.parametrize("name", BAD_DOMAINS)
def test_what_rasa_would_refuse(tmp_path: Path, name: str) -> None:
    text, message = BAD_DOMAINS[name]
    with pytest.raises((InputError, DataCorrupt), match=message):
        read_domain(write_domain(tmp_path, text))


def test_slots_of_a_domain_that_cannot_be_asked_for(tmp_path: Path) -> None:
    domain = read_domain(write_domain(tmp_path))
    with pytest.raises(InputError, match="slot: got 'note'; allowed: slots of type categorical or bool: size, roast"):
        slots_of_domain(domain, ["note"])
    plain = write_domain(tmp_path, 'version: "3.1"\nslots:\n  note:\n    type: text\n    mappings: [{type: from_text}]\n')
    with pytest.raises(InputError, match="none that is categorical or bool"):
        slots_of_domain(read_domain(plain))


def test_a_mapping_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    slots = {
        "size": BotSlot("size", "cup", {"large": ("big", "grande")}, intent="order"),
        "with_milk": BotSlot(intents={"no_milk": "False"}),
    }
    path = tmp_path / "mapping.yml"
    path.write_text(mapping_text(slots), encoding="utf-8")
    assert read_mapping(path) == slots
    assert default_bot_slots([PRICE]) == {"price": BotSlot("price", intent="inform")}


def test_truths_of_yaml_are_those_of_schemas(tmp_path: Path) -> None:
    path = tmp_path / "mapping.yml"
    path.write_text("slots:\n  milk:\n    entity: milk\n    values: {true: [yes please, with]}\n    intents: {black: false}\n")
    assert read_mapping(path)["milk"] == BotSlot("milk", None, {"True": ("yes please", "with")}, {"black": "False"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "allowed: `slots:`"),
        ("slots: {}\n", "allowed: `slots:`"),
        ("slots: {size: cup}\n", "slot size: got 'cup'"),
        ("slots: {size: {entities: cup}}\n", "slot size, key: got 'entities'; allowed: entity, intent, intents, role, values"),
        ("slots: {size: {role: cup}}\n", "slot size: got .*; allowed: an `entity:`, or `intents:`"),
        ("slots: {size: {entity: [a]}}\n", "slot size, entity: got .*; allowed: a name"),
        ("slots: {size: {entity: a, values: [b]}}\n", "slot size, values: got .*; allowed: a mapping"),
        ("slots: [", "not valid YAML"),
    ],
)
def test_what_is_no_mapping(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mapping.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GriceError, match=message):
        read_mapping(path)


def _parse(entities: list[dict[str, Any]], intent: str = "inform") -> dict[str, Any]:
    return {"intent": {"name": intent}, "entities": entities}


@pytest.mark.parametrize(
    ("parsed", "value"),
    [
        (_parse([]), None),
        (_parse([{"entity": "size", "value": "Large"}]), None),
        (_parse([{"entity": "size", "role": "cup", "value": "LARGE"}]), "large"),
        (_parse([{"entity": "size", "role": "cup", "value": "big"}]), "large"),
        (_parse([{"entity": "size", "role": "cup", "value": "huge"}]), "huge"),
        (_parse([{"entity": "size", "role": "cup", "value": v} for v in ("large", "small")]), "small"),
        (_parse([], "tiny_please"), "small"),
        (_parse([{"entity": "size", "role": "cup", "value": "large"}], "tiny_please"), "large"),
        ({"intent": None, "entities": []}, None),
    ],
)
def test_which_value_a_parse_gives(parsed: dict[str, Any], value: str | None) -> None:
    slot = BotSlot("size", "cup", {"large": ("big",)}, {"tiny_please": "small"})
    assert slot.found(parsed, ("small", "large")) == value
