"""Menus from SGD schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.schemas import read_schema, schema_of_sgd
from grice.models.errors import InputError
from grice.models.schema import MOST_SLOTS


def slot(name: str, values: tuple[str, ...] = (), categorical: bool = True) -> dict[str, Any]:
    return {"name": name, "description": f"the {name}", "is_categorical": categorical, "possible_values": list(values)}


SERVICES: list[dict[str, Any]] = [
    {
        "service_name": "Kayaks_1",
        "description": "Boats to rent",
        "slots": [slot("seats", ("1", "2")), slot("color", ("red", "blue"), categorical=False), slot("city")],
        "intents": [
            {
                "name": "Find",
                "description": "Find a kayak",
                "is_transactional": False,
                "required_slots": ["city"],
                "optional_slots": {"seats": "dontcare"},
                "result_slots": ["color"],
            },
            {"name": "RentKayak", "description": "Rent it", "required_slots": ["city", "seats"], "optional_slots": {}},
        ],
    },
    {
        "service_name": "Museums_1",
        "description": "Museums to see",
        "slots": [slot("city"), slot("free", ("True", "False"))],
        "intents": [{"name": "Find", "description": "Find a museum", "required_slots": [], "optional_slots": {"city": "x"}}],
    },
]


def test_services_intents_and_slots() -> None:
    schema = schema_of_sgd(SERVICES)
    assert schema.services == (("Kayaks_1", "Boats to rent"), ("Museums_1", "Museums to see"))
    assert [(intent.name, intent.service, intent.slots) for intent in schema.intents] == [
        ("Kayaks_1.Find", "Kayaks_1", ("Kayaks_1.city", "seats")),
        ("RentKayak", "Kayaks_1", ("Kayaks_1.city", "seats")),
        ("Museums_1.Find", "Museums_1", ("Museums_1.city",)),
    ]
    assert schema.intent("RentKayak").description == "Rent it"
    assert {slot.name: slot.values for slot in schema.slots} == {
        "seats": ("1", "2"),
        "color": (),
        "Kayaks_1.city": (),
        "Museums_1.city": (),
        "free": ("True", "False"),
    }


def test_only_some_services(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SERVICES))
    assert read_schema(path) == schema_of_sgd(SERVICES)
    schema = read_schema(path, services=["Museums_1"])
    assert [slot.name for slot in schema.slots] == ["city", "free"]
    with pytest.raises(InputError, match="service: got 'Boats'; allowed: Kayaks_1, Museums_1"):
        read_schema(path, "sgd", services=["Boats"])


def test_more_slots_than_a_menu_takes() -> None:
    many = [{**SERVICES[0], "service_name": f"S{n}"} for n in range(MOST_SLOTS // 3 + 1)]
    with pytest.raises(InputError, match="name the services that the bot offers"):
        schema_of_sgd(many)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "SGD schema: got {}; allowed: a list"),
        (["a"], "service 0: got 'a'; allowed: a mapping"),
        ([{}], "service 0, service_name: got None; allowed: a text"),
        ([{"service_name": "S", "slots": {}}], "service S, slots: got {}; allowed: a list"),
        ([{"service_name": "S", "slots": [{}]}], "service S, slots, at 0, name: got None"),
        ([{"service_name": "S", "slots": [slot("a"), slot("a")]}], "service S, slots: got 'a'; allowed: each name once"),
        ([{"service_name": "S", "slots": [{**slot("a"), "possible_values": "x"}]}], "possible_values of slot a: got 'x'"),
        ([{"service_name": "S", "intents": [{"name": "I", "required_slots": "a"}]}], "service S, intent I"),
        ([{"service_name": "S", "intents": [{"name": "I", "required_slots": ["a"]}]}], "slot of intent I: got 'a'"),
    ],
)
def test_what_cannot_be_is_refused(content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        schema_of_sgd(content)
