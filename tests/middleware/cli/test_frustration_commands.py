"""Frustration on the command line: told by `grice respond`, its threshold set by `grice calibrate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.cli import main

ANGRY = "I have told you twice already. Let me talk to a human."
CALM = "It is 88. And could you send it to the office?"
BEFORE = [
    {"speaker": "user", "text": "My parcel 88 has not come."},
    {"speaker": "bot", "text": "What is the number of your parcel?"},
]


def row(text: str, **more: Any) -> dict[str, Any]:
    return {"turns": [*BEFORE, {"speaker": "user", "text": text}], **more}


def log(path: Path, *rows: Any) -> str:
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows), encoding="utf-8")
    return str(path)


def test_respond_quotes_the_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history = tmp_path / "history.txt"
    history.write_text("".join(f"{turn['speaker']}: {turn['text']}\n" for turn in row(ANGRY)["turns"]), encoding="utf-8")
    said = ["respond", "I'll put you through to a colleague.", "--history", str(history)]
    assert main(said) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("user_frustration"))
    assert line.endswith(f', in turn 3: "{ANGRY}"')
    assert main([*said, "--frustration-threshold", "1"]) == 0
    assert "user_frustration" not in capsys.readouterr().out


def test_calibrate_by_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row(f"{CALM} {number}", frustrated=False) for number in range(60)]
    path = log(tmp_path / "log.jsonl", *rows, *[row(ANGRY, frustrated=True)] * 4, row(ANGRY, response="Sorry!"))
    assert main(["calibrate", "frustration", "--log", path, "--budget", "10", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["basis"], found["turns"], found["frustrated"], found["found"]) == ("labels", 60, 4, 1)
    assert 0 < found["shown"] <= 0.1
    assert main(["calibrate", "frustration", "--log", path]) == 0
    assert f"next: GRICE_FRUSTRATION_THRESHOLD={found['threshold']:.1f}" in capsys.readouterr().out


def test_calibrate_by_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(tmp_path / "log.jsonl", *(row(f"{CALM} {number}") for number in range(48)), row(ANGRY), row(ANGRY))
    assert main(["calibrate", "frustration", "--log", path, "--budget", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["basis"], found["turns"], found["frustrated"]) == ("rate", 50, 0)
    assert found["shown"] <= 0.04


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(CALM)] * 3, "--log: got '3 turns'; allowed: at least 50 turns of the user that answer the bot"),
        ([{"turns": BEFORE[:1]}] * 60, "--log: got '0 turns'"),
        (["{"], "log.jsonl, line 1: got '{'; allowed: one JSON object"),
        ([row(CALM), row(CALM, frustrated="yes")], "log.jsonl, line 2: got"),
        ([{"turns": [{"speaker": "cat", "text": "Miaow."}]}], "log.jsonl, line 1, turns: got"),
    ],
)
def test_a_log_that_does_not_do(tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[Any], message: str) -> None:
    assert main(["calibrate", "frustration", "--log", log(tmp_path / "log.jsonl", *rows)]) == 2
    assert message in capsys.readouterr().err


def test_a_budget_out_of_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(tmp_path / "log.jsonl", row(CALM))
    assert main(["calibrate", "frustration", "--log", path, "--budget", "101"]) == 2
    assert "--budget: got 101.0; allowed: 0 to 100" in capsys.readouterr().err
    assert main(["calibrate", "frustration"]) == 2
    assert "--log: got None; allowed: a file" in capsys.readouterr().err
