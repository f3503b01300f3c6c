"""Reading turns and dialogues from the command line: a history file, or JSON lines on standard input."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from grice.middleware.cli.terminal import hint
from grice.middleware.runtime.progress import progress_bar
from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.errors import DataNotFound, GriceError, InputError

HINT = (
    'Waiting for JSON lines such as {"text": "It is cold in here.", "history": [{"speaker": "bot", "text": "Welcome!"}]}; '
    "Ctrl-D ends. To ask about one turn, give it as an argument; --help says more."
)
BLOCK_BYTES = 1 << 16

_LABELLED = re.compile(r"\s*(user|bot|system|assistant)\s*:\s*(.*\S)\s*", re.IGNORECASE)
_SPEAKERS: dict[str, Speaker] = {"user": "user", "bot": "bot", "system": "bot", "assistant": "bot"}


def read_history(path: Path | None) -> list[Turn]:
    """The turns in a file, oldest first: a JSON list or JSON lines of {"speaker", "text"}, or plain lines `user: …`, `bot: …`.

    Raises:
        DataNotFound: there is no such file.
        InputError: a line is neither.
    """
    if path is None:
        return []
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataNotFound(f"history file {path}: {error}") from error
    if content.lstrip().startswith("["):
        return [_turn(value, f"{path}, turn {number}") for number, value in enumerate(_json(content, str(path)), start=1)]
    lines = [(number, line) for number, line in enumerate(content.splitlines(), start=1) if line.strip()]
    return [_line(line, f"{path}, line {number}") for number, line in lines]


def _line(line: str, where: str) -> Turn:
    if line.lstrip().startswith("{"):
        return _turn(_json(line, where), where)
    match = _LABELLED.fullmatch(line)
    if match is None:
        raise InputError(where, line, 'a line such as "user: hello" or "bot: hello", or a JSON object with speaker and text')
    return Turn(_SPEAKERS[match[1].lower()], match[2])


def _turn(value: Any, where: str) -> Turn:
    if not isinstance(value, dict) or set(value) != {"speaker", "text"}:
        raise InputError(where, value, 'an object with "speaker" and "text"')
    return Turn(value["speaker"], value["text"])


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(where, text, f"valid JSON ({error})") from error


def read_dialogue(line: str, where: str, speaker: Speaker = "user") -> Dialogue:
    """The dialogue in one JSON line: {"text": …, "history": [{"speaker", "text"}, …]}, or {"turns": […]} ending in the turn.

    Args:
        speaker: who says a "text".

    Raises:
        InputError: it is something else.
    """
    value = _json(line, where)
    if isinstance(value, dict) and set(value) in ({"text"}, {"text", "history"}) and isinstance(value.get("history", []), list):
        return Dialogue.of(value["text"], [_turn(turn, where) for turn in value.get("history", [])], speaker)
    if isinstance(value, dict) and set(value) == {"turns"} and isinstance(value["turns"], list):
        return Dialogue(tuple(_turn(turn, where) for turn in value["turns"]))
    raise InputError(where, value, 'an object with "text" and perhaps "history", or with "turns"')


def run_lines(
    lines: Iterable[str], answer: Callable[[list[Dialogue]], list[dict[str, Any]]], batch: int = 16, speaker: Speaker = "user"
) -> int:
    """Answer JSON lines with JSON lines, in order; a bad line is answered with its error.

    A line is answered as soon as it is there; those that wait together are answered together, `batch` at the most. On a terminal
    it is told what is waited for; while a file is read, how far it is.

    Returns the exit status: 1 if there was a bad line. `speaker` is as in `read_dialogue`.
    """
    hint(HINT)
    status, number, done = 0, 0, 0
    progress = progress_bar("answered", "byte") if (size := _size(lines)) and not sys.stdout.isatty() else None
    for chunk in _chunks(lines, batch):
        parsed = [(_parsed(line, number + place, speaker)) for place, line in enumerate(chunk, start=1) if line.strip()]
        number += len(chunk)
        answers = iter(answer([dialogue for dialogue in parsed if isinstance(dialogue, Dialogue)]))
        for dialogue in parsed:
            if isinstance(dialogue, Dialogue):
                print(json.dumps(next(answers), ensure_ascii=False))
            else:
                status = 1
                print(json.dumps({"error": str(dialogue)}, ensure_ascii=False))
        sys.stdout.flush()
        done += sum(len(line.encode(errors="surrogateescape")) for line in chunk)
        if progress is not None:
            progress(min(done, size), size)
    return status


def _parsed(line: str, number: int, speaker: Speaker) -> Dialogue | GriceError:
    try:
        return read_dialogue(line, f"line {number}", speaker)
    except GriceError as error:
        return error


def _chunks(lines: Iterable[str], most: int) -> Iterator[list[str]]:
    """The lines that are there, at most so many at a time; a pipe is not waited for once it has brought a line."""
    for waiting in _arriving(lines):
        for start in range(0, len(waiting), most):
            yield waiting[start : start + most]


def _arriving(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines as they arrive. What is no stream of bytes is all there."""
    stream = getattr(lines, "buffer", None)
    if stream is None:
        yield list(lines)
        return
    rest = b""
    while block := stream.read1(BLOCK_BYTES):
        *whole, rest = (rest + block).split(b"\n")
        yield [line.decode(errors="surrogateescape") + "\n" for line in whole]
    if rest:
        yield [rest.decode(errors="surrogateescape")]


def _size(lines: Iterable[str]) -> int:
    """The bytes of a file; 0 where nobody knows."""
    try:
        found = os.fstat(lines.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
