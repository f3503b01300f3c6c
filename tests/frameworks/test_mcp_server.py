"""The tools by the protocol's own client: in process, and by the command."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_models import all_fakes
from mcp import StdioServerParameters
from mcp.client import Client
from scripted_checks import WISH

from grice.integrations.mcp.server import GriceTools, create_server
from grice.middleware.monitor import Judgement
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.results import BEHAVIORS

ROWS = [{"role": "assistant", "content": "It is cold."}, {"role": "user", "content": WISH}]
TOOLS = [
    {
        "name": "rent_kayak",
        "description": "rent a kayak",
        "input_schema": {"type": "object", "properties": {"size": {"type": "string", "enum": ["single", "double"]}}},
    }
]


class Yes:
    """A judge that always says yes."""

    def judge(self, questions: Any, tenants: Any = None) -> list[Judgement]:
        return [Judgement(label, True, "It does.") for _, label in questions]


def call(server: Any, name: str, **given: Any) -> Any:
    async def ask() -> Any:
        async with Client(server) as client:
            return await client.call_tool(name, given)

    return asyncio.run(ask())


def served(judge: Any = None) -> Any:
    return create_server(GriceTools(all_fakes().__getitem__, judge))


def listed(server: Any) -> list[Any]:
    async def ask() -> Any:
        async with Client(server) as client:
            return await client.list_tools()

    return list(asyncio.run(ask()).tools)


def names(server: Any) -> list[str]:
    return [each.name for each in listed(server)]


def test_the_judge_is_a_tool_only_where_there_is_one() -> None:
    assert names(served()) == ["rewrite_turn", "read_meaning", "score_reply"]
    assert names(served(Yes())) == ["rewrite_turn", "read_meaning", "score_reply", "judge_reply"]


def test_every_tool_and_argument_says_what_it_is() -> None:
    tools = listed(served(Yes()))
    arguments = {tool.name: tool.input_schema["properties"] for tool in tools}
    assert all(len(given["description"]) > 20 for each in arguments.values() for given in each.values())
    for tool in tools:
        rows = arguments[tool.name]["messages"]["items"]
        assert rows["required"] == ["role", "content"]
        assert rows["properties"]["role"]["enum"] == ["user", "assistant", "system", "tool"]
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint is (tool.name == "judge_reply")
    assert arguments["judge_reply"]["behavior"]["enum"] == list(BEHAVIORS)
    for name in ("rewrite_turn", "read_meaning"):
        forms = {each["type"] for each in arguments[name]["menu"]["anyOf"]}
        assert forms - {"null"} == {"array", "object"}
        assert "tools as OpenAI, Anthropic or MCP write them" in arguments[name]["menu"]["description"]
    told = {tool.name: tool.description for tool in tools}
    for name in ("score_reply", "judge_reply"):  # nobody knows what `!Par` means
        assert all(f"{label} ({each.name})" in told[name] for label, each in DEFINITIONS.items())


def test_a_turn_is_said_anew() -> None:
    found = call(served(), "rewrite_turn", messages=ROWS).structured_content
    assert (found["decision"], found["rewrite"]["text"]) == ("rewrite", f"please: {WISH} <bot: It is cold.>")


def test_what_a_turn_means_of_tools_or_of_a_menu() -> None:
    rows = [{"role": "user", "content": "rent_kayak, a double"}]
    menu = {"intents": [{"name": "rent_kayak"}], "slots": {"size": {"values": ["single", "double"]}}}
    for given in (TOOLS, menu):
        found = call(served(), "read_meaning", messages=rows, menu=given).structured_content["found"]
        assert found["meaning"] == "rent_kayak"
        assert [each["values"] for each in found["slots"]] == [["double"]]


def test_of_tools_the_calls_are_told() -> None:
    rows = [{"role": "user", "content": "rent_kayak, a double"}]
    found = call(served(), "read_meaning", messages=rows, menu=TOOLS).structured_content
    (implied,) = found["calls"]
    assert implied["tool"] == "rent_kayak"
    assert [(each["name"], each["values"]) for each in implied["arguments"]] == [("size", ["double"])]
    menu = {"intents": [{"name": "rent_kayak"}]}
    assert call(served(), "read_meaning", messages=rows, menu=menu).structured_content["calls"] is None


def test_a_reply_is_scored_and_judged() -> None:
    rows = [*ROWS, {"role": "assistant", "content": "That is Red."}]
    assert call(served(), "score_reply", messages=rows).structured_content["shown"] == ["Red"]
    found = call(served(Yes()), "judge_reply", messages=rows, behavior="Red").structured_content
    assert (found["decision"], found["reasoning"]) == (True, "It does.")


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("rewrite_turn", {"messages": []}, "messages: got"),
        (
            "rewrite_turn",
            {"messages": [{"role": "assistant", "content": "Hi."}]},
            "role of the last message: got 'assistant'; allowed: user",
        ),
        ("score_reply", {"messages": ROWS}, "role of the last message: got 'user'; allowed: assistant"),
        ("read_meaning", {"messages": ROWS, "menu": {"intent": 1}}, "menu, key: got 'intent'; allowed: intents, slots, services"),
        ("read_meaning", {"messages": ROWS, "menu": []}, "menu: got []; allowed: tools as OpenAI, Anthropic or MCP write them, or"),
        ("read_meaning", {"messages": ROWS, "menu": [{"name": "rent"}]}, "menu: got [{'name': 'rent'}]; allowed: tools as OpenAI"),
        ("read_meaning", {"messages": ROWS}, "menu"),
        ("judge_reply", {"messages": [{"role": "assistant", "content": "Hi."}], "behavior": "Rude"}, "'Emp', '!Emp'"),
    ],
)
def test_what_is_refused_is_said(name: str, given: dict[str, Any], said: str) -> None:
    found = call(served(Yes()), name, **given)
    assert found.is_error
    assert said in found.content[0].text


def test_the_command_serves_the_shipped_models() -> None:
    command = StdioServerParameters(command=str(Path(sys.executable).parent / "grice"), args=["mcp"])
    rows = [
        {"role": "user", "content": "I am looking for a place to eat."},
        {"role": "assistant", "content": "What price range would you like?"},
        {"role": "user", "content": "I am on a tight budget"},
    ]
    found = call(command, "rewrite_turn", messages=rows)
    assert "cheap" in json.loads(found.content[0].text)["text"]
