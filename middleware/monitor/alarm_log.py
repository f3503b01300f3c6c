"""One's own responses, as a log has them: JSON lines with the turns, the response, and perhaps whether it was faulty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import DataNotFound, InputError
from grice.models.relations.labels import SETTINGS
from grice.models.relations.results import RelationQuestion
from grice.models.relations.rows import text_rows

FROM_ALARM = "alarm"
"""What `from` says of a response that was chosen because it raised an alarm."""


@dataclass(frozen=True)
class LoggedResponse:
    """A response of one's own.

    Attributes:
        bad: whether anything was wrong with it; None: nobody has said.
        from_alarm: whether it is here because it raised an alarm: then it is no sample of all responses.
    """

    question: RelationQuestion
    bad: bool | None
    from_alarm: bool = False


def read_log(path: Path) -> list[LoggedResponse]:
    """The responses of a file, one JSON object a line.

    `{"turns": [{"speaker", "text"}], "response"}`, and if it is known `setting`, `documents`, `facts`, `policy`, `bad` (true or
    false). `"from": "alarm"` stands in those that people judged because they raised an alarm.

    Raises:
        DataNotFound: it cannot be read, or has no response.
        InputError: a line is not in the format; says which, what it has and what is allowed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataNotFound(f"log {path}: {error}") from error
    found = [_read(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise DataNotFound(f"log {path}: no response in it; give one JSON object a line")
    return found


def _read(line: str, where: str) -> LoggedResponse:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InputError(where, line, f"one JSON object ({error})") from error
    if not isinstance(row, dict) or not isinstance(row.get("turns"), list) or not isinstance(row.get("response"), str):
        raise InputError(where, row, "an object with turns, a list, and response, a text")
    bad, setting = row.get("bad"), row.get("setting")
    if bad is not None and not isinstance(bad, bool):
        raise InputError(f"{where}, bad", bad, "true or false, or no such field")
    if setting is not None and setting not in SETTINGS:
        raise InputError(f"{where}, setting", setting, f"{', '.join(SETTINGS)}, or no such field")
    if row.get("from") not in (None, FROM_ALARM):
        raise InputError(f"{where}, from", row["from"], f"{FROM_ALARM}, or no such field")
    try:
        turns = tuple(Turn(each["speaker"], each["text"]) for each in row["turns"])
        dialogue = Dialogue((*turns, Turn("bot", row["response"])))
    except (InputError, KeyError, TypeError) as error:
        raise InputError(f"{where}, turns", row["turns"], f"objects with speaker and text ({error})") from error
    facts = text_rows(row.get("facts") or (), f"{where}, facts")
    question = RelationQuestion(dialogue, _texts(row, "documents"), facts, _texts(row, "policy"), setting)
    return LoggedResponse(question, bad, row.get("from") == FROM_ALARM)


def _texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(str(each) for each in row.get(name) or ())
