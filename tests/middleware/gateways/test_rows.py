"""What of a request is looked at, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from grice.middleware.gateways.rows import asks_last, is_plain, may_change, said_anew, turns_of
from grice.models import Turn


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("My knees are not what they were.", True),
        ("Is 3 < 4?", True),
        ("Well;\nit is late.\nIs there a bus?", True),
        ("[smiles] that is nice", True),
        ("", False),
        ("/restart", False),
        ('{"a": 1}', False),
        ('{"a": 1, and so on', False),
        ("[1, 2]", False),
        ("Why does this fail?\n```\nx = 1\n```", False),
        ("def rent(boat):\n    return boat.price;", False),
        ("<ul>\n<li>boat</li>\n</ul>", False),
        ("x" * 2001, False),
    ],
)
def test_what_a_person_says(text: str, plain: bool) -> None:
    assert is_plain(text) == plain


def test_rows_that_cannot_be_read_are_passed_over() -> None:
    rows: list[Any] = [
        {"role": "user", "content": "Hi."},
        "row",
        {"role": "critic", "content": "No."},
        {"role": "user", "content": 7},
        {"content": "x"},
        {"role": "assistant", "content": "y" * 20_000},
    ]
    assert turns_of(rows) == [Turn("user", "Hi."), Turn("bot", "y" * 10_000)]
    assert len(turns_of(rows[:1] * 300)) == 200


@pytest.mark.parametrize(
    ("rows", "asks"),
    [
        ([{"role": "user", "content": "Hi."}], True),
        ([{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yes?"}], False),
        ([{"role": "user", "content": "Hi."}, {"role": "tool", "content": "3"}], False),
        ([], False),
    ],
)
def test_who_is_last(rows: list[Any], asks: bool) -> None:
    assert asks_last(rows) == asks


IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}


def test_a_text_said_anew() -> None:
    row = {"role": "user", "content": "I am cold", "name": "ann"}
    assert said_anew(row, "Heat it.", "append") == {"role": "user", "content": "I am cold. Heat it.", "name": "ann"}
    assert said_anew(row, "Heat it.", "replace") == {"role": "user", "content": "Heat it.", "name": "ann"}
    assert row["content"] == "I am cold"


def test_of_parts_only_the_last_text_changes() -> None:
    one = {"role": "user", "content": [{"type": "text", "text": "I am cold.", "cache_control": {}}, IMAGE]}
    assert said_anew(one, "Heat it.", "replace")["content"] == [{"type": "text", "text": "Heat it.", "cache_control": {}}, IMAGE]
    two = {"role": "user", "content": [{"type": "text", "text": "Hi."}, {"type": "text", "text": "I am cold."}]}
    assert said_anew(two, "Heat it.", "replace")["content"][1]["text"] == "I am cold. Heat it."
    assert said_anew(two, "Heat it.", "replace")["content"][0] == two["content"][0]


@pytest.mark.parametrize("content", [None, [], [IMAGE], ["Hi."]])
def test_what_has_no_text_part_cannot_change(content: Any) -> None:
    assert not may_change({"role": "user", "content": content})
