"""What the forms of the town-information bot take for an answer, without Rasa around it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from bot_fixtures import SOURCE


@pytest.fixture(scope="module")
def slot_values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOWN_DATABASE", str(tmp_path_factory.mktemp("values") / "town.db"))
        patch.syspath_prepend(str(SOURCE))
        patch.setattr(sys, "dont_write_bytecode", True)
        yield importlib.import_module("actions.slot_values")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18:30", "18:30"),
        ("7pm", "19:00"),
        ("7.15 am", "07:15"),
        ("12am", "00:00"),
        ("12 pm", "12:00"),
        ("noon", "12:00"),
        ("9", "09:00"),
    ],
)
def test_a_time_is_read(slot_values: Any, text: str, value: str) -> None:
    assert slot_values.time(text) == value


@pytest.mark.parametrize("text", ["25:99", "18:75", "24:00", "13:30pm", "soon", ""])
def test_a_time_that_is_none_is_refused(slot_values: Any, text: str) -> None:
    with pytest.raises(slot_values.Refused, match="utter_invalid_time"):
        slot_values.time(text)


@pytest.mark.parametrize(("text", "value"), [("4", "4"), ("four people", "4"), ("20", "20")])
def test_a_number_of_people_is_read(slot_values: Any, text: str, value: str) -> None:
    assert slot_values.people(text) == value


@pytest.mark.parametrize("text", ["0", "21", "-", "lots"])
def test_a_number_of_people_that_cannot_be_booked_is_refused(slot_values: Any, text: str) -> None:
    with pytest.raises(slot_values.Refused):
        slot_values.people(text)


def test_a_place_is_found_without_its_article_and_in_any_case(slot_values: Any) -> None:
    assert slot_values.name("copper kettle") == "The Copper Kettle"
    with pytest.raises(slot_values.Refused, match="utter_invalid_name"):
        slot_values.name("The Nonexistent Arms")
