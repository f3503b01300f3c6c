"""`grice meaning`: a table, JSON, JSON lines, and mistakes."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.cli import main

SHOP: dict[str, Any] = {
    "intents": [
        {"name": "buy_bike", "description": "buy a bicycle", "slots": ["bike_kind"]},
        {"name": "opening_hours", "description": "ask when the shop is open"},
    ],
    "slots": {"bike_kind": {"description": "kind of bicycle", "values": ["city bike", "racing bike", "cargo bike"]}},
}


@pytest.fixture
def menu(tmp_path: Path) -> str:
    path = tmp_path / "menu.json"
    path.write_text(json.dumps(SHOP), encoding="utf-8")
    return str(path)


def test_a_table_for_people(menu: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history = tmp_path / "history.txt"
    history.write_text("bot: What kind of bicycle is it?\n", encoding="utf-8")
    assert main(["meaning", "--schema", menu, "--history", str(history), "A cargo bike."]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert re.search(r"\(confidence [01]\.\d\d,", first)
    assert rest[0].split()[1:] == ["%", "act", "answer"]
    assert [line for line in rest if re.match(r"  slot   bike_kind: cargo bike  \([01]\.\d+\)", line)]
    assert rest[-1].startswith("  by     ")


def test_a_slot_that_is_changed_is_marked(menu: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history = tmp_path / "history.txt"
    history.write_text("user: A city bike, please.\nbot: A city bike, noted.\n", encoding="utf-8")
    assert main(["meaning", "--schema", menu, "--history", str(history), "No wait, a cargo bike instead."]) == 0
    (slot,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  slot")]
    assert re.fullmatch(r"  slot   bike_kind: cargo bike  \([01]\.\d+\)  changed", slot)


def test_json_has_all(menu: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["meaning", "--schema", menu, "--format", "grice", "--json", "When are you open?"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["possible"][0]["name"] == "opening_hours"
    assert set(found) == {
        "kind",
        "meaning",
        "confidence",
        "margin",
        "possible",
        "slots",
        "changes",
        "indirect",
        "option",
        "evidence",
        "changed",
    }


def test_lines_are_answered_in_order_and_bad_ones_with_their_error(
    menu: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"text": "A cargo bike.", "history": [{"speaker": "bot", "text": "What kind of bicycle is it?"}]}
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{json.dumps(asked)}\nno json\n" + '{"text": "When are you open?"}\n'))
    assert main(["meaning", "--schema", menu]) == 1
    first, second, third = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert first["slots"][0]["values"] == ["cargo bike"]
    assert "valid JSON" in second["error"]
    assert third["possible"][0]["name"] == "opening_hours"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--schema", "nowhere.json", "Hello."], "nowhere.json: no such file or folder"),
        (["--schema", "MENU", "--format", "sgd", "Hello."], "SGD schema: got "),
        (["--schema", "MENU", "--model", "no-model", "Hello."], "no-model"),
        (["--schema", "MENU", " "], "text: got ' '"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    menu: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["meaning", *(menu if each == "MENU" else each for each in arguments)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
