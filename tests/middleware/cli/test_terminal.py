"""Colours, hints, and how far long work is."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from grice.middleware.cli.terminal import paint_for
from grice.middleware.runtime.progress import progress_bar, progress_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(stream: io.StringIO, environment: dict[str, str], coloured: bool) -> None:
    assert (paint_for(stream, environment)("late", "red", "bold") == "\033[31;1mlate\033[0m") is coloured
    assert "late" in paint_for(stream, environment)("late", "red")


def on_a_terminal(command: list[str], text: str, **environment: str) -> str:
    """What a command prints, whose input and output are a real terminal."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "OMP_NUM_THREADS": "1", **environment}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, close_fds=True) as process:
        os.close(theirs)
        os.write(ours, text.encode())
        seen = b""
        try:
            while block := os.read(ours, 4096):
                seen += block
        except OSError:  # a terminal whose other side is closed
            pass
        process.wait()
    os.close(ours)
    return seen.decode()


def grice(*words: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from grice.middleware.cli import main; sys.exit(main())", *words]


def test_on_a_terminal_it_is_told_what_is_waited_for() -> None:
    seen = on_a_terminal(grice("score"), '{"text": "Hello there."}\n\x04')
    assert "Waiting for JSON lines" in seen
    assert re.search(r'\{"score": 0\.\d+', seen)


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_no_color_holds_in_a_whole_command(environment: dict[str, str], coloured: bool) -> None:
    seen = on_a_terminal(grice("doctor", "--only", "providers"), "", **environment)
    assert "CPUExecutionProvider" in seen
    assert ("\033[" in seen) is coloured


def test_nothing_is_told_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert progress_bar("reading", "turn") is None


def test_lines_of_progress_have_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter([0.0, 10.0, 20.0, 30.0, 100.0])
    report = progress_lines("reading", "turn", lambda: next(seconds))
    for done in (100, 200, 550, 1000):  # the first hundred were there before
        report(done, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "reading: 100 of 1,000 turns",
        "reading: 200 of 1,000 turns, about 2 min 40 s left",
        "reading: 550 of 1,000 turns, about 30 s left",
        "reading: 1,000 of 1,000 turns",
    ]


def test_a_bar_on_a_terminal_has_an_estimate_too(monkeypatch: pytest.MonkeyPatch) -> None:
    screen: Any = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    report = progress_bar("fetching", "byte")
    assert report is not None
    report(5_000, 10_000)
    report(10_000, 10_000)
    assert re.search(r"fetching: 100%\|.*10\.0k/10\.0k \[\d\d:\d\d<\d\d:\d\d", screen.getvalue())


def test_of_a_file_it_is_told_how_far_it_is_and_what_is_left(tmp_path: Path) -> None:
    turns, answers = tmp_path / "turns.jsonl", tmp_path / "answers.jsonl"
    turns.write_text('{"text": "Find me something cheaper."}\n' * 40, encoding="utf-8")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    with turns.open() as given, answers.open("w") as out:
        process = subprocess.Popen(grice("score"), stdin=given, stdout=out, stderr=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        seen = b""
        try:
            while block := os.read(ours, 4096):
                seen += block
        except OSError:  # the other side is closed
            pass
        assert process.wait() == 0
    os.close(ours)
    assert re.search(rf"answered: 100%.*{turns.stat().st_size / 1000:.2f}k", seen.decode())
    assert "<" in seen.decode()  # tqdm's time that is left
    assert len(answers.read_text(encoding="utf-8").splitlines()) == 40
