"""The reader of STAR."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grice.models.data import star
from grice.models.dialogue import Turn
from grice.models.errors import DataCorrupt, DataNotFound

EVENTS: list[dict[str, Any]] = [
    {"Agent": "UserGuide", "Action": "instruct", "Text": "Ask for a room."},
    {"Agent": "User", "Action": "utter", "Text": " A room, please. "},
    {"Agent": "Wizard", "Action": "request_suggestions", "Text": "which"},
    {"Agent": "Wizard", "Action": "pick_suggestion", "Text": "For which day?"},
    {"Agent": "User", "Action": "utter", "Text": "Friday."},
    {"Agent": "KnowledgeBase", "Action": "return_item", "Item": {"Room": "Blue", "Seats": 4}},
    {"Agent": "Wizard", "Action": "utter", "Text": "The Blue one has 4 seats."},
    {"Agent": "User", "Action": "complete"},
]


def write_star(data_dir: Path, **members: Any) -> None:
    (data_dir / "star").mkdir(exist_ok=True)
    with zipfile.ZipFile(data_dir / "star" / "star.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(f"dialogues/{name.removeprefix('d')}.json", json.dumps(content))
        archive.writestr("tasks/room/room.json", "{}")


def test_what_was_said_and_the_last_row(tmp_path: Path) -> None:
    write_star(tmp_path, d10={"Events": EVENTS[1:2]}, d2={"Events": EVENTS})
    first, second = star.read(tmp_path)
    assert [each.turn for each in first] == [
        Turn("user", "A room, please."),
        Turn("bot", "For which day?"),
        Turn("user", "Friday."),
        Turn("bot", "The Blue one has 4 seats."),
    ]
    assert [each.row for each in first] == [{}, {}, {}, {"Room": "Blue", "Seats": "4"}]
    assert [each.turn.text for each in second] == ["A room, please."]
    assert len(list(star.read(tmp_path, step=2))) == 1


def test_what_is_missing_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"star\.zip"):
        list(star.read(tmp_path))
    write_star(tmp_path, d1={"Happy": True})
    with pytest.raises(DataCorrupt, match=r"dialogues/1\.json"):
        list(star.read(tmp_path))
    (tmp_path / "star" / "star.zip").write_bytes(b"no archive")
    with pytest.raises(DataCorrupt, match=r"star\.zip"):
        list(star.read(tmp_path))
