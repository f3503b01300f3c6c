"""Input files in parts: every row is read once, whatever the parts."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pytest
from batch_fixtures import dialogue_row, write_lines
from pyarrow import parquet

from grice.middleware.batch import parts
from grice.middleware.batch.parts import LoggedRow, cut, read
from grice.models.dialogue import Dialogue
from grice.models.errors import DataCorrupt, DataNotFound

ROWS = [
    dialogue_row(1),
    {"text": "Hello there.", "history": [{"speaker": "bot", "text": "Which day?"}]},
    {"id": 3, "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Which day?"}], "more": 1},
    dialogue_row(4, turns=1),
    {"id": "five", "text": "Any day."},
]
DIALOGUES = [
    Dialogue.of_messages(ROWS[0]["turns"]),
    Dialogue.of("Hello there.", [("bot", "Which day?")]),
    Dialogue.of("Which day?", [("user", "Hi.")], "bot"),
    Dialogue.of("turn 0 of dialogue 4"),
    Dialogue.of("Any day."),
]


def rows_of(path: Path, size: int) -> list[LoggedRow]:
    found = cut(path, size, "f")
    assert [(part.number, part.parts) for part in found] == [(number, len(found)) for number in range(len(found))]
    assert all(len(list(read(part))) <= size for part in found)
    return [row for part in found for row in read(part)]


def as_parquet(path: Path, row_group: int) -> Path:
    def as_text(row: dict[str, object]) -> dict[str, object]:
        known = {name: row.get(name) for name in ("turns", "text", "history", "messages", "more")}
        return {**known, "id": None if row.get("id") is None else str(row["id"])}

    parquet.write_table(pyarrow.Table.from_pylist([as_text(row) for row in ROWS]), path, row_group_size=row_group)
    return path


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_lines_are_read_once_each_in_parts_of_any_size(tmp_path: Path, size: int) -> None:
    found = rows_of(write_lines(tmp_path / "a.jsonl", ROWS), size)
    assert [row.dialogue for row in found] == DIALOGUES
    assert [(row.number, row.id) for row in found] == [(1, "d1"), (2, None), (3, "3"), (4, "d4"), (5, "five")]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("row_group", [1, 2, 5])
def test_parquet_is_read_as_lines_are(tmp_path: Path, size: int, row_group: int) -> None:
    found = rows_of(as_parquet(tmp_path / "a.parquet", row_group), size)
    assert [row.dialogue for row in found] == DIALOGUES
    assert [(row.number, row.id) for row in found] == [(1, "d1"), (2, None), (3, "3"), (4, "d4"), (5, "five")]


def test_blank_lines_count_and_the_last_line_needs_no_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\r\n{"text": "One."}\r\n\n{"text": "Two."}')
    for size in (1, 2, 10):
        assert [(row.number, row.dialogue and row.dialogue.last.text) for row in rows_of(path, size)] == [(2, "One."), (4, "Two.")]


def test_a_line_that_is_too_long_is_set_apart_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MAX_ROW_BYTES", 50)
    path = write_lines(tmp_path / "a.jsonl", [{"text": "x" * 200}, {"text": "Short."}])
    for size in (1, 2):
        first, second = rows_of(path, size)
        assert (first.dialogue, "more than 50 bytes" in first.reason) == (None, True)
        assert second.dialogue == Dialogue.of("Short.")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "line 1: not valid JSON"),
        ("[" * 100_000, "line 1: not valid JSON"),
        ("[1]", 'line 1: got [1]; allowed: an object with "turns", "messages" or "text"'),
        ({"utterance": "Hello."}, 'row: got \'an object with none of them\'; allowed: one of "turns", "messages" and "text"'),
        ({"text": "Hello.", "turns": []}, "row: got 'an object with turns, text'"),
        ({"turns": []}, "at least one row"),
        ({"turns": "Hello."}, "turns: got 'Hello.'; allowed: a list of turns"),
        ({"turns": [{"speaker": "robot", "text": "Hello."}]}, "speaker: got 'robot'; allowed: user or bot"),
        ({"turns": [5]}, "message: got 5"),
        ({"text": 5}, "text: got 5; allowed: a string"),
        ({"text": "Hello.", "history": "Hi."}, "history: got 'Hi.'; allowed: a list of turns"),
        ({"text": "x" * 20_000}, "allowed: at most 10000 characters"),
    ],
)
def test_a_row_without_a_dialogue_says_why(tmp_path: Path, line: object, reason: str) -> None:
    path = write_lines(tmp_path / "a.jsonl", [line if isinstance(line, str) else json.dumps({"id": "odd", **line})])  # type: ignore[dict-item]
    (row,) = rows_of(path, 10)
    assert row.dialogue is None
    assert reason in row.reason


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_text("nonsense")
    with pytest.raises(DataCorrupt, match=r"bad.parquet: no readable Parquet"):
        cut(tmp_path / "bad.parquet", 10, "f")
    for name in ("none.parquet", "none.jsonl"):
        with pytest.raises(DataNotFound, match=name):
            cut(tmp_path / name, 10, "f")


def test_an_empty_file_has_one_part_without_rows(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    parquet.write_table(pyarrow.Table.from_pylist([], schema=pyarrow.schema([("text", pyarrow.string())])), tmp_path / "a.parquet")
    for name in ("a.jsonl", "a.parquet"):
        (part,) = cut(tmp_path / name, 10, "f")
        assert list(read(part)) == []
