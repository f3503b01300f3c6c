"""Menus from tools: the ways to write them, and what becomes of their arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.schemas import read_schema, schema_of_tools
from grice.models.errors import InputError
from grice.models.schema import MOST_CHOICES, BotSchema

RENT = {
    "type": "object",
    "properties": {"seats": {"type": "string", "enum": ["one", "two"], "description": "how many sit in it"}},
    "required": ["seats"],
}
FUNCTION = {"name": "rent_kayak", "description": "Rent a\n kayak.", "parameters": RENT}
MCP = {"name": "rent_kayak", "description": "Rent a kayak.", "inputSchema": RENT}
ANTHROPIC = {"name": "rent_kayak", "description": "Rent a kayak.", "input_schema": RENT}


def argument(schema: object, **root: object) -> tuple[str, ...] | None:
    """The values of the only argument, which has this JSON schema; None: it was left out."""
    parameters = {"type": "object", "properties": {"it": schema}, **root}
    slots = schema_of_tools([{"name": "do", "parameters": parameters}]).slots
    return next((slot.values for slot in slots), None)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "function", "function": FUNCTION}],
        [FUNCTION],
        [{"type": "function", **FUNCTION, "strict": True}],
        [MCP],
        [ANTHROPIC],
        {"tools": [MCP], "nextCursor": "x"},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
        {"model": "m", "messages": [], "functions": [FUNCTION]},
        FUNCTION,
        {"type": "function", "function": FUNCTION},
        [FUNCTION, {"type": "web_search"}],
    ],
    ids=["chat", "bare", "responses", "mcp", "anthropic", "mcp-list", "mcp-rpc", "request", "one-bare", "one-chat", "with-hosted"],
)
def test_every_way_to_write_a_tool_is_the_same_menu(content: object, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(content))
    menu = BotSchema.of(
        {
            "intents": [{"name": "rent_kayak", "description": "Rent a kayak.", "slots": ["seats"]}],
            "slots": {"seats": {"description": "how many sit in it", "values": ["one", "two"]}},
        }
    )
    assert schema_of_tools(content) == menu
    assert read_schema(path) == read_schema(path, "tools") == menu


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"type": "boolean"}, ("true", "false")),
        ({"type": ["boolean", "null"]}, ("true", "false")),
        ({"type": ["boolean", "string"]}, ()),
        ({"type": "string"}, ()),
        ({"type": "integer", "enum": [1, 2, None]}, ("1", "2")),
        ({"enum": [True, "auto", "auto"]}, ("true", "auto")),
        ({"enum": [{"a": 1}]}, ()),
        ({"enum": list(range(MOST_CHOICES + 1))}, ()),
        ({"const": "kayak"}, ("kayak",)),
        ({"type": "array", "items": {"enum": ["red", "blue"]}}, ("red", "blue")),
        ({"type": "array", "items": {"type": "string"}}, ()),
        ({"anyOf": [{"enum": ["red"]}, {"type": "null"}]}, ("red",)),
        ({"anyOf": [{"const": "red"}, {"const": "blue"}]}, ("red", "blue")),
        ({"oneOf": [{"enum": ["red"]}, {"type": "string"}]}, ()),
        ({"allOf": [{"$ref": "#/$defs/Color"}], "default": "red"}, ("red", "green")),
        ({"$ref": "#/$defs/Color"}, ("red", "green")),
        ({"anyOf": [{"$ref": "#/$defs/Color"}, {"type": "null"}]}, ("red", "green")),
        ({"$ref": "https://example.org/color.json"}, ()),
        ({"$ref": "#/$defs/Loop"}, ()),
        ({"$ref": "#/$defs/Nobody"}, ()),
        (True, ()),
        ({}, ()),
    ],
)
def test_values_of_an_argument(schema: object, values: tuple[str, ...]) -> None:
    definitions = {"Color": {"type": "string", "enum": ["red", "green"]}, "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}]}}
    assert argument(schema, **{"$defs": definitions}) == values


def test_what_stands_beside_a_reference_counts_more() -> None:
    definitions = {"Color": {"enum": ["red"], "description": "any color"}}
    properties = {"hull": {"$ref": "#/$defs/Color", "description": "the color of the hull"}, "seat": {"$ref": "#/$defs/Color"}}
    schema = schema_of_tools([{"name": "paint", "parameters": {"properties": properties, "$defs": definitions}}])
    assert [slot.description for slot in schema.slots] == ["the color of the hull", "any color"]


def test_objects_are_flattened_with_dots_and_not_into_themselves() -> None:
    node = {"properties": {"label": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}}}
    address = {"type": "object", "properties": {"city": {"type": "string"}, "zone": {"enum": ["a", "b"]}}}
    parameters = {"properties": {"to": address, "path": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    schema = schema_of_tools([{"name": "send", "parameters": parameters}])
    assert schema.intent("send").slots == ("to.city", "to.zone", "path.label", "path.next")
    assert schema.slot("to.zone").values == ("a", "b")
    assert schema.slot("path.next").is_free


def test_references_that_multiply_are_refused_and_not_unfolded() -> None:
    definitions = {f"L{n}": {"properties": {side: {"$ref": f"#/$defs/L{n + 1}"} for side in "ab"}} for n in range(60)}
    with pytest.raises(InputError, match="slots"):
        argument({"$ref": "#/$defs/L0"}, **{"$defs": definitions})


def test_one_name_with_the_same_values_is_one_slot_and_else_unique() -> None:
    def tool(name: str, **properties: Any) -> dict[str, Any]:
        return {"name": name, "parameters": {"properties": properties}}

    schema = schema_of_tools(
        [
            tool("rent", size={"enum": ["s", "l"]}, unit={"enum": ["m", "ft"]}, who={"type": "string"}),
            tool(
                "sell", size={"enum": ["l", "xl"]}, unit={"enum": ["ft", "m"], "description": "of length"}, who={"type": "string"}
            ),
        ]
    )
    assert {slot.name: slot.values for slot in schema.slots} == {
        "rent.size": ("s", "l"),
        "unit": ("ft", "m"),
        "who": (),
        "sell.size": ("l", "xl"),
    }
    assert schema.slot("unit").description == "of length"
    assert schema.intent("sell").slots == ("sell.size", "unit", "who")


def test_long_descriptions_are_cut() -> None:
    (intent,) = schema_of_tools([{"name": "do", "description": "word " * 900}]).intents
    assert len(intent.description) == 1000
    assert intent.description.endswith("…")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "tools: got"),
        ([{"type": "web_search"}], "tools: got"),
        (["rent"], "tool 0: got 'rent'"),
        ([{"parameters": {}}], "tool 0: got 'no name'"),
        ([{"type": "function", "function": {"description": "x"}}], "tool 0, name: got None"),
        ([{"name": "rent", "parameters": [1]}], "tool rent, arguments"),
        ([{"name": "rent"}, {"name": "rent"}], "each name once"),
    ],
)
def test_what_cannot_be_is_refused(content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        schema_of_tools(content)
