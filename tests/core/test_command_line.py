import io
import json
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.cli import main

HISTORY = "user: I am looking for a hotel in the north\nbot: There is an expensive one. Shall I book it?\n"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.txt"
    path.write_text(HISTORY)
    return path


def test_rewrite_prints_the_text_for_the_nlu(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["rewrite", "I don't have that much money", "--history", str(history), "--mode", "append", "--direct-from", "1"]) == 0
    )
    assert capsys.readouterr().out.startswith("I don't have that much money")


def test_score_prints_a_number(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "I don't have that much money", "--history", str(history)]) == 0
    assert 0 < float(capsys.readouterr().out) < 1


def test_history_as_json_is_the_same(history: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [{"speaker": line.split(": ")[0], "text": line.split(": ")[1]} for line in HISTORY.splitlines()]
    listed, lined = tmp_path / "a.json", tmp_path / "b.jsonl"
    listed.write_text(json.dumps(turns))
    lined.write_text("\n".join(map(json.dumps, turns)))
    outputs = set()
    for path in (history, listed, lined):
        assert main(["score", "I don't have that much money", "--history", str(path)]) == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1


def test_lines_are_answered_in_order_and_bad_ones_with_their_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[dict[str, Any]] = [
        {"text": "I don't have that much money", "history": [{"speaker": "bot", "text": "Shall I book it?"}]},
        {"text": ""},
        {"turns": [{"speaker": "bot", "text": "Hello!"}, {"speaker": "user", "text": "Book a taxi, please."}]},
        {"utterance": "what"},
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, lines)) + "\n\nnot json\n"))
    assert main(["rewrite"]) == 1
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer.get("original") for answer in answers] == [lines[0]["text"], None, "Book a taxi, please.", None, None]
    assert "line 4" in answers[3]["error"] or "text" in answers[3]["error"]
    assert "valid JSON" in answers[4]["error"]


def test_softening_a_reply(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "Tell me your phone number.", "--form", "indirect"]) == 0
    said = capsys.readouterr()
    assert said.out.strip() not in ("", "Tell me your phone number.")
    assert "stays as it is" not in said.err


def test_a_question_of_the_bots_is_not_softened_into_a_wish(capsys: pytest.CaptureFixture[str]) -> None:
    question = "Shall I book it for you?"
    assert main(["rewrite", question, "--form", "indirect"]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == question
    assert "The reply stays as it is" in said.err
    assert main(["rewrite", question, "--form", "indirect", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["text"] == question
    assert found["refused"] not in (None, "", question)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rewrite", " "], "text: got ' '"),
        (["rewrite", "hello", "--history", "no-such-file"], "history file no-such-file"),
        (["rewrite", "hello", "--direct-from", "2"], "setting direct_from: got 2.0; allowed: 0.0 to 1.0"),
        (["score", "hello", "--provider", "abacus"], "execution provider 'abacus' is not available"),
    ],
)
def test_mistakes_are_one_line_and_status_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_history_line_without_a_speaker_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "history.txt"
    path.write_text("user: hello\nwho said this\n")
    assert main(["score", "hello", "--history", str(path)]) == 2
    assert "line 2" in capsys.readouterr().err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert all(command in out for command in ("rewrite", "score", "train", "export", "data", "bench", "serve"))
