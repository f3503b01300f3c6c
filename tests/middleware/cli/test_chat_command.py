"""`grice chat` and `grice respond`, with the shipped models."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from grice.middleware.cli import main
from grice.models.results import BEHAVIORS

TOOLS = [{"type": "function", "function": {"name": "turn_up_heating", "description": "make the room warmer", "parameters": {}}}]


def chat(monkeypatch: pytest.MonkeyPatch, *words: str, lines: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    return main(["chat", *words])


def test_a_dialogue_goes_on_turn_by_turn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "I am looking for a place to eat.\nbot: What price range would you like?\nI am on a tight budget\n/quit\nnever read\n"
    assert chat(monkeypatch, lines=lines) == 0
    said = capsys.readouterr().out
    assert "rewrite (indirect)" in said
    assert "cheap" in said  # only the bot's question makes a budget a price range
    assert "how likely (shown from): Emp 0." in said
    assert "\033[" not in said


def test_json_is_an_object_a_turn_and_new_begins_anew(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert chat(monkeypatch, "--json", lines="It is cold in here.\n/new\nbot: It is warm.\nbot:\n") == 1
    first, second, third = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["original"], first["meaning"]) == ("It is cold in here.", None)
    assert second["behaviors"]["history_read"] == 0
    assert "text" in third["error"]


def test_a_bot_s_menu_says_what_a_turn_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS), encoding="utf-8")
    assert chat(monkeypatch, "--bot", str(path), lines="Turn up the heating, please.\n") == 0
    said = capsys.readouterr().out
    assert "may mean   turn_up_heating" in said
    assert chat(monkeypatch, "--bot", str(tmp_path / "none.json"), lines="") == 2
    assert "no such file" in capsys.readouterr().err


@pytest.fixture
def history(tmp_path: Path) -> str:
    path = tmp_path / "history.txt"
    path.write_text("user: Do you have pets?\nbot: Yes, I have a dog.\nuser: Nice! What is its name?\n", encoding="utf-8")
    return str(path)


def test_a_response_is_scored_with_the_turn_that_it_contradicts(history: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["respond", "I have never had a dog.", "--history", history]) == 0
    assert '!Sel: self contradiction; about turn 2: "Yes, I have a dog."' in capsys.readouterr().out


def test_the_report_as_json_and_other_thresholds(history: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["respond", "I have never had a dog.", "--history", history, "--json", "--threshold-overrides", "!Sel=1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["behaviors"]["probabilities"]) == set(BEHAVIORS)
    assert "!Sel" not in found["shown"]
    assert found["behaviors"]["evidence"]["!Sel"] == 1


def test_lines_are_responses(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"text": "I like trains."},
        {"turns": [{"speaker": "user", "text": "Hello"}]},
        {"turns": [{"speaker": "bot", "text": "Hi"}]},
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(json.dumps(row) + "\n" for row in rows)))
    assert main(["respond"]) == 1
    first, second, third = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["behaviors"]
    assert "a turn of the bot" in second["error"]
    assert third["behaviors"]


def test_a_document_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["respond", "Hi", "--document", str(tmp_path / "none.txt")]) == 2
    assert "none.txt" in capsys.readouterr().err
