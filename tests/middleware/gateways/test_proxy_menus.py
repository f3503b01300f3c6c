"""The proxy with a menu: of a file, or the tools of the request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_models import FakeDirectness, FakeMeaning, FakeRewriter, fakes
from proxied_server import GOOD, ask, messages, proxied

from grice.middleware import Pipeline
from grice.models.errors import DataNotFound

KAYAKS = {"intents": [{"name": "rent", "description": "rent a kayak for some hours"}]}
TOOLS: list[Any] = [
    {"type": "web_search"},
    {"type": "function", "function": {"name": "rent", "description": "Rent a boat.", "parameters": {"properties": {}}}},
]
TURN = {"role": "user", "content": "My kayak! To rent"}
OF_FILE, OF_TOOLS = "I want to rent a kayak for some hours.", "I want to rent a boat."


def models() -> dict[str, object]:
    return fakes(Pipeline(FakeDirectness(), FakeRewriter(), reader=FakeMeaning()))


@pytest.fixture
def menu(tmp_path: Path) -> str:
    path = tmp_path / "menu.json"
    path.write_text(json.dumps(KAYAKS))
    return str(path)


def test_a_turn_is_said_in_the_words_of_the_menu_of_a_file(menu: str) -> None:
    with proxied(GOOD, models(), menu=menu, delivery="replace") as (client, server):
        response = ask(client, [TURN], tools=TOOLS)
        assert messages(server) == [{"role": "user", "content": OF_FILE}]
    assert response.headers["x-grice-decision"] == "rewrite"
    assert "x-grice-directness" not in response.headers  # with a menu what a turn means decides


def test_the_tools_of_a_request_are_its_menu_where_the_operator_says_so() -> None:
    with proxied(GOOD, models(), tools_as_menu=True, delivery="replace") as (client, server):
        ask(client, [TURN], tools=TOOLS)
        assert messages(server) == [{"role": "user", "content": OF_TOOLS}]
    with proxied(GOOD, models(), delivery="replace") as (client, server):
        ask(client, [TURN], tools=TOOLS)
        assert messages(server) == [TURN]


@pytest.mark.parametrize("tools", [None, [], "tools", [7], [{"type": "web_search"}], [{"function": {"name": 7}}]])
def test_without_tools_that_can_be_read_the_menu_of_the_file_holds(menu: str, tools: Any) -> None:
    with proxied(GOOD, models(), menu=menu, tools_as_menu=True, delivery="replace") as (client, server):
        ask(client, [TURN], tools=tools)
        assert messages(server) == [{"role": "user", "content": OF_FILE}]


def test_a_menu_that_is_not_there_keeps_the_proxy_from_starting(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match="no such file"), proxied(GOOD, models(), menu=str(tmp_path / "none.json")):
        pass
