"""JSON lines from pipes are answered as they come, and what waits is answered together."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from grice.middleware.cli.conversation import run_lines
from grice.models.dialogue import Dialogue

SCORE = [sys.executable, "-c", "import sys; from grice.middleware.cli import main; sys.exit(main())", "score"]


def test_a_line_is_answered_while_the_pipe_stays_open() -> None:
    with subprocess.Popen(SCORE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in ("Hello there.", "It is cold in here."):
            process.stdin.write(json.dumps({"text": text}) + "\n")
            process.stdin.flush()
            assert "score" in json.loads(process.stdout.readline())  # blocks for ever if lines are waited for
        process.stdin.close()
    assert process.returncode == 0


class Piped:
    """A pipe that brings what it is told to, a block at a time."""

    def __init__(self, *blocks: bytes) -> None:
        self._blocks = list(blocks)
        self.buffer = self

    def read1(self, size: int) -> bytes:
        return self._blocks.pop(0) if self._blocks else b""


def answered(lines: Any, batch: int = 16) -> tuple[list[list[str]], int]:
    asked: list[list[str]] = []

    def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
        asked.append([each.last.text for each in dialogues])
        return [{"text": each.last.text} for each in dialogues]

    return asked, run_lines(lines, answer, batch)


def line(text: str) -> bytes:
    return json.dumps({"text": text}, ensure_ascii=False).encode() + b"\n"


def test_what_waits_together_is_answered_together(capsys: pytest.CaptureFixture[str]) -> None:
    asked, status = answered(Piped(line("a") + line("b") + line("c")[:5], line("c")[5:], line("d").rstrip(b"\n")), batch=2)
    assert (asked, status) == ([["a", "b"], ["c"], ["d"]], 0)
    assert [json.loads(each)["text"] for each in capsys.readouterr().out.splitlines()] == ["a", "b", "c", "d"]


def test_letters_may_come_in_halves_and_wrong_bytes_are_an_error_of_their_line(capsys: pytest.CaptureFixture[str]) -> None:
    whole = line("où") + b'{"text": "\xff"}\n\n' + b"\xfe\n" + line("fin")
    cut = whole.index("ù".encode()) + 1
    _, status = answered(Piped(whole[:cut], whole[cut:]))
    rows = [json.loads(each) for each in capsys.readouterr().out.splitlines()]
    assert status == 1
    assert [row.get("text") for row in rows] == ["où", None, None, "fin"]
    assert rows[1]["error"].startswith("text: got ")
    assert rows[2]["error"].startswith("line 4: ")


def test_texts_in_memory_are_answered_in_batches(capsys: pytest.CaptureFixture[str]) -> None:
    asked, _ = answered(io.StringIO("".join(line(text).decode() for text in "abcde")), batch=2)
    assert asked == [["a", "b"], ["c", "d"], ["e"]]


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(SCORE, stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE, text=True) as process:
        os.close(write)
        _, errors = process.communicate('{"text": "Hello there."}\n')
    assert (process.returncode, errors) == (1, "")
