"""`grice judge`, against a real server on loopback."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from openai_server import chat, openai_server

from grice.middleware.cli import main
from grice.middleware.judge import judge_messages
from grice.models.dialogue import Dialogue
from grice.models.results import BEHAVIORS

SAID = [("bot", "Have you a dog?"), ("user", "No, I have none.")]
ASKED = Dialogue.of("How is your dog?", SAID, speaker="bot")  # type: ignore[arg-type]
YES, NO, NEITHER = "Reasoning: They said\nso.\nDecision: [YES]", "Reasoning: New.\nDecision: [NO]", "Hard to say."


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy, and no settings of whoever runs the tests."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("URL", "MODEL", "API_KEY"):
        monkeypatch.delenv(f"GRICE_JUDGE_{name}", raising=False)


@pytest.fixture
def history(tmp_path: Path) -> str:
    path = tmp_path / "history.txt"
    path.write_text("".join(f"{speaker}: {text}\n" for speaker, text in SAID))
    return str(path)


def test_decisions_are_printed(history: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GRICE_JUDGE_WORKERS", "1")
    monkeypatch.setenv("GRICE_JUDGE_API_KEY", "key")
    monkeypatch.setenv("GRICE_JUDGE_PROMPT_PRICE", "1")
    monkeypatch.setenv("GRICE_JUDGE_COMPLETION_PRICE", "1")
    with openai_server([chat(YES), chat(NO)]) as server:
        command = ["judge", ASKED.last.text, "--history", history, "--url", server.url, "--model", "m"]
        assert main([*command, "--behavior", "!Par", "--behavior", "Red"]) == 0
    out, err = capsys.readouterr()
    assert out == "!Par: yes. They said so.\nRed: no. New.\n"
    assert err == "40 prompt tokens, 10 completion tokens, 0.000050 US dollars; 0 of 2 remembered\n"
    assert server.prompts == [judge_messages(ASKED, "!Par")[1].content, judge_messages(ASKED, "Red")[1].content]
    assert server.keys == ["Bearer key", "Bearer key"]


def test_pairs_and_windows(history: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with openai_server([chat(YES)]) as server:
        monkeypatch.setenv("GRICE_JUDGE_URL", server.url)
        monkeypatch.setenv("GRICE_JUDGE_MODEL", "m")
        assert main(["judge", ASKED.last.text, "--history", history, "--behavior", "Red", "--pairing", "--window", "1"]) == 0
    assert capsys.readouterr().out == "Red: yes, against turn 2. They said so.\n"
    assert server.prompts == [judge_messages(ASKED, "Red", (1,))[1].content]


def test_an_undecided_question_is_unscored_and_status_1(history: str, capsys: pytest.CaptureFixture[str]) -> None:
    with openai_server([chat(NEITHER)]) as server:
        assert main(["judge", "Hello!", "--url", server.url, "--model", "m", "--behavior", "Ign"]) == 1
    out, err = capsys.readouterr()
    assert out == "Ign: unscored: the judge's answer has no decision\n"
    assert "cost not known" in err


def test_all_behaviours_of_lines_are_judged_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = [{"speaker": turn.speaker, "text": turn.text} for turn in ASKED.turns]
    lines = "\n".join([json.dumps({"text": turns[-1]["text"], "history": turns[:-1]}), json.dumps({"turns": turns})])
    with openai_server([chat(NO)] * len(BEHAVIORS)) as server:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        assert main(["judge", "--url", server.url, "--model", "m", "--cache", str(tmp_path / "replies")]) == 0
    first, second = (json.loads(line)["judgements"] for line in capsys.readouterr().out.splitlines())
    assert [each["behavior"] for each in first] == list(BEHAVIORS)
    assert [each["decision"] for each in (*first, *second)] == [False] * 18
    assert [each["cached"] for each in (*first, *second)] == [False] * 9 + [True] * 9


def test_bad_lines_are_answered_with_their_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    user = {"turns": [{"speaker": "bot", "text": "Hi!"}, {"speaker": "user", "text": "Hello!"}]}
    with openai_server([chat(NO)]) as server:
        monkeypatch.setattr("sys.stdin", io.StringIO(f'{json.dumps(user)}\nnot json\n{{"text": "Hi!"}}\n'))
        assert main(["judge", "--url", server.url, "--model", "m", "--behavior", "Red"]) == 1
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert answers[0] == {"error": "last turn: got 'a turn of the user'; allowed: a turn of the bot, which is judged"}
    assert "valid JSON" in answers[1]["error"]
    assert answers[2]["judgements"][0]["decision"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "setting judge_url: got ''; allowed: a base URL: give --url and --model"),
        (["--url", "http://127.0.0.1:1/v1"], "setting judge_model: got ''"),
        (["--url", "http://127.0.0.1:1/v1", "--model", "m", "--window", "0"], "setting judge_window: got 0"),
        (["--url", "http://127.0.0.1:1/v1", "--model", "m", "--cache", "nowhere/at/all"], "reply cache nowhere/at/all"),
    ],
)
def test_mistakes_are_one_line_and_status_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "Hello!", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
