"""CI-ToD, ConTurE and items of one's own, in their formats; mistakes are told with their place."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from grice.models.data import ci_tod, conture
from grice.models.data.response_items import read_response_items
from grice.models.errors import DataNotFound, InputError

RELEASED = os.environ.get("GRICE_DATA_DIR")

ITEM: dict[str, Any] = {
    "id": "kiln-1",
    "setting": "task",
    "turns": [{"speaker": "user", "text": "Is the kiln free on Friday?"}],
    "response": "It is free from noon.",
    "gold": {"!Sel": False, "Ign": True},
    "evidence_turn": 0,
}


def write(path: Path, *items: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, items)) + "\n", encoding="utf-8")
    return path


def test_ci_tod(tmp_path: Path) -> None:
    row = {"event": "pottery_class", "time": "3pm"}
    entry = {
        "id": 7,
        "dialogue": [
            {"turn": "driver", "utterance": "when is my pottery_class"},
            {"turn": "assistant", "utterance": "at 4pm"},
        ],
        "scenario": {"kb": {"items": [row]}, "qi": "0", "hi": "0", "kbi": "1"},
    }
    (tmp_path / "ci_tod").mkdir()
    (tmp_path / "ci_tod" / "calendar_test.json").write_text(json.dumps([entry]), encoding="utf-8")
    (found,) = ci_tod.read(tmp_path, "test")
    assert found.dialogue_id == "calendar_test/7"
    assert found.turns[0].text == "when is my pottery class"
    assert (found.response, found.query, found.history, found.knowledge) == ("at 4pm", False, False, True)
    assert found.rows == ({"event": "pottery class", "time": "3pm"},)
    with pytest.raises(DataNotFound, match=r"no \*_dev\.json"):
        ci_tod.read(tmp_path, "dev")


def test_conture(tmp_path: Path) -> None:
    turns = [
        {"user": "User: hello", "chatbot": "Chatbot: do you row?", "overall impression": 2},
        {"user": "User: no", "chatbot": "Chatbot:", "overall impression": 0},
    ]
    (tmp_path / "conture").mkdir()
    (tmp_path / "conture" / "data.json").write_text(json.dumps([{"dialog_id": 1, "turns": turns}]), encoding="utf-8")
    first, second = conture.read(tmp_path)
    assert [turn.text for turn in first.turns] == ["hello"]
    assert (first.response.text, first.rating, first.silent) == ("do you row?", 2, False)
    assert (second.rating, second.silent, len(second.turns)) == (0, True, 3)


@pytest.mark.skipif(RELEASED is None, reason="GRICE_DATA_DIR is not set")
def test_the_released_files_are_read() -> None:
    folder = Path(RELEASED or "")
    assert {found.history for found in ci_tod.read(folder, "train")} == {True, False}
    assert {found.rating for found in conture.read(folder)} == {0, 1, 2}


def test_an_item(tmp_path: Path) -> None:
    (item,) = read_response_items(write(tmp_path / "a.jsonl", {**ITEM, "facts": [{"kiln": "free", "from": 12}], "note": "kept"}))
    assert item.dialogue.last.text == "It is free from noon."
    assert item.facts == ({"kiln": "free", "from": "12"},)
    assert (item.context, item.evidence_turn, item.fields["note"]) == ("kiln-1", 0, "kept")
    assert item.gold == {"!Sel": False, "Ign": True}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"response": " "}, "line 2, text"),
        ({"gold": {"Ign": "yes"}}, "line 2, gold, Ign"),
        ({"evidence_turn": 4}, "a place from 0 to 0"),
        ({"turns": [{"speaker": "cat", "text": "Mew."}]}, "line 2, speaker"),
        ({"documents": "one"}, "line 2, documents"),
        ({"facts": ["one"]}, "line 2, facts"),
    ],
)
def test_mistakes_in_items_are_told_with_their_place(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_response_items(write(tmp_path / "a.jsonl", ITEM, {**ITEM, **change}))


def test_a_missing_field_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1, setting"):
        read_response_items(write(tmp_path / "a.jsonl", {name: value for name, value in ITEM.items() if name != "setting"}))
