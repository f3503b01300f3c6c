"""Reading turns and dialogues from the command line: a history file, or JSON lines on standard input."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from grice.models.dialogue import Dialogue, Speaker, Turn
from grice.models.errors import DataNotFound, GriceError, InputError

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
    """Answer JSON lines with JSON lines, in order, a batch at a time; a bad line is answered with its error.

    Returns the exit status: 1 if there was a bad line. `speaker` is as in `read_dialogue`.
    """
    status = 0
    for chunk in _chunks(lines, batch):
        parsed = [_parsed(line, number, speaker) for number, line in chunk]
        answers = iter(answer([dialogue for dialogue in parsed if isinstance(dialogue, Dialogue)]))
        for dialogue in parsed:
            if isinstance(dialogue, Dialogue):
                print(json.dumps(next(answers), ensure_ascii=False))
            else:
                status = 1
                print(json.dumps({"error": str(dialogue)}, ensure_ascii=False))
        sys.stdout.flush()
    return status


def _parsed(line: str, number: int, speaker: Speaker) -> Dialogue | GriceError:
    try:
        return read_dialogue(line, f"line {number}", speaker)
    except GriceError as error:
        return error


def _chunks(lines: Iterable[str], size: int) -> Iterator[list[tuple[int, str]]]:
    chunk: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            chunk.append((number, line))
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
