"""The menu of an agent: its tools, as OpenAI, Anthropic and MCP write them. A tool is an intent, an argument a slot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grice.middleware.schemas.limits import phrase
from grice.middleware.schemas.tool_arguments import arguments_of
from grice.models.errors import InputError
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

ARGUMENTS = ("parameters", "inputSchema", "input_schema")
"""Where the JSON schema of the arguments is: OpenAI, MCP, Anthropic."""
LISTS = ("tools", "functions")
ALLOWED = "a list of tools, each with name, description and " + " or ".join(ARGUMENTS)


@dataclass(frozen=True)
class _Tool:
    name: str
    description: str
    arguments: tuple[SlotSpec, ...]


def is_tools(content: object) -> bool:
    """Whether it is a list of tools, a mapping that holds one, or a single tool."""
    entries = _entries(content)
    return bool(entries) and all(isinstance(each, Mapping) for each in entries) and any(map(_is_tool, entries))


def schema_of_tools(content: object) -> BotSchema:
    """The menu of a list of tools (or `{"tools": […]}`, or one tool).

    Tools without a name, which the provider runs by itself, are left out. An argument that is an enumeration, or true or false, is
    a slot with values; any other is free text. Arguments of one name and the same values are one slot; where their values differ,
    each is made unique as `tool.argument`. Arguments inside of objects are named with dots.

    Raises:
        InputError: it is no such list, or there is nothing in it that can be called; says where.
    """
    tools = [_tool(each, place) for place, each in enumerate(_entries(content)) if _has_name(each, place)]
    if not tools:
        raise InputError("tools", content, ALLOWED)
    differing = _differing(tools)
    slots: dict[str, SlotSpec] = {}
    for tool in tools:
        for argument in tool.arguments:
            slot = replace(argument, name=_unique(tool, argument, differing))
            known = slots.get(slot.name)
            if known is None or not known.description:
                slots[slot.name] = slot
    return BotSchema(
        tuple(
            IntentSpec(tool.name, tool.description, slots=tuple(_unique(tool, each, differing) for each in tool.arguments))
            for tool in tools
        ),
        tuple(slots.values()),
    )


def _entries(content: object) -> list[Any]:
    """The tools of a list, of a request or of MCP's answer to `tools/list`; what is none of these is one tool."""
    if isinstance(content, list):
        return content
    if not isinstance(content, Mapping):
        return []
    inside = content.get("result")
    answer = inside if isinstance(inside, Mapping) else content
    return next((answer[name] for name in LISTS if isinstance(answer.get(name), list)), [content])


def _is_tool(entry: Mapping[str, Any]) -> bool:
    """Whether it looks like one: `name` and `description` alone are a tool in a list only."""
    return isinstance(entry.get("function"), Mapping) or any(name in entry for name in ARGUMENTS)


def _has_name(entry: object, place: int) -> bool:
    """Whether it is a tool that can be called, not one that the provider runs by itself, such as web search.

    Raises:
        InputError: it is no tool at all.
    """
    if not isinstance(entry, Mapping):
        raise InputError(f"tool {place}", entry, "a mapping with name, description and " + " or ".join(ARGUMENTS))
    if "name" in entry or "function" in entry:
        return True
    if isinstance(entry.get("type"), str) and entry["type"] != "function":
        return False
    raise InputError(f"tool {place}", "no name", "a name")


def _tool(entry: Mapping[str, Any], place: int) -> _Tool:
    inner = entry.get("function", entry)
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise InputError(f"tool {place}, name", inner.get("name") if isinstance(inner, Mapping) else inner, "a text")
    schema: object = next((inner[name] for name in ARGUMENTS if inner.get(name) is not None), {})
    if not isinstance(schema, Mapping):
        raise InputError(f"tool {inner['name']}, arguments", schema, "a JSON schema: a mapping with type and properties")
    return _Tool(inner["name"], phrase(inner.get("description") or inner.get("title")), tuple(arguments_of(schema)))


def _differing(tools: Collection[_Tool]) -> frozenset[str]:
    """Names of arguments that have not the same values in all tools."""
    values: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for tool in tools:
        for argument in tool.arguments:
            values[argument.name].add(frozenset(argument.values))
    return frozenset(name for name, known in values.items() if len(known) > 1)


def _unique(tool: _Tool, argument: SlotSpec, differing: Collection[str]) -> str:
    return f"{tool.name}.{argument.name}" if argument.name in differing else argument.name
