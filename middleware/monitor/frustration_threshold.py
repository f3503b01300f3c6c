"""From which probability on the user is said to be frustrated, by one's own turns: by labels where enough have one, or by rate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import DataNotFound, InputError
from grice.models.frustration.detector import FrustrationDetector
from grice.models.relations.budget import share_above, threshold_for

LEAST = 50
"""Turns from which on a threshold is set."""
FORM = "an object with turns, a list of objects with speaker and text, and if it is known frustrated, true or false"


@dataclass(frozen=True)
class LoggedTurn:
    """A dialogue, whose last turn of the user is meant, and whether the user is frustrated there; None: nobody has said."""

    dialogue: Dialogue
    frustrated: bool | None


@dataclass(frozen=True)
class SetThreshold:
    """A threshold, and what comes of it.

    Attributes:
        basis: what it was set by: turns without frustration that are labelled so, or all turns, as though none had any.
        turns: those that it was set by. shown: the share of them that reaches it.
        frustrated: turns that are labelled so. found: the share of them that reaches it.
    """

    threshold: float
    basis: Literal["labels", "rate"]
    turns: int
    shown: float
    frustrated: int
    found: float


def read_turns(path: Path) -> list[LoggedTurn]:
    """The turns of a file, one JSON object a line: `turns`, and if it is known `frustrated`. Other fields are not read.

    Raises:
        DataNotFound: it cannot be read. InputError: a line is not in the format; says which, what it has and what is allowed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataNotFound(f"log {path}: {error}") from error
    return [_read(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]


def set_threshold(detector: FrustrationDetector, logged: Sequence[LoggedTurn], budget: float) -> SetThreshold:
    """The least threshold that at most `budget` of 100 turns without frustration reach.

    Raises:
        InputError: the budget is out of range, or there are fewer than `LEAST` turns of the user after a turn of the bot.
    """
    if not 0 <= budget <= 100:
        raise InputError("--budget", budget, "0 to 100 of 100 turns without frustration that are shown all the same")
    found = detector.predict([each.dialogue for each in logged])
    told = [(each.probability, turn.frustrated) for each, turn in zip(found, logged, strict=True) if each.probability is not None]
    calm, frustrated = ([share for share, flag in told if flag is wanted] for wanted in (False, True))
    used = calm if len(calm) >= LEAST else [share for share, flag in told if not flag]
    if len(used) < LEAST:
        raise InputError("--log", f"{len(used)} turns", f"at least {LEAST} turns of the user that answer the bot")
    threshold = min(threshold_for(used, budget), 1.0)
    basis: Literal["labels", "rate"] = "labels" if used is calm else "rate"
    return SetThreshold(
        threshold, basis, len(used), share_above(used, threshold), len(frustrated), share_above(frustrated, threshold)
    )


def _read(line: str, where: str) -> LoggedTurn:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InputError(where, line, f"one JSON object ({error})") from error
    flag = row.get("frustrated") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(row.get("turns"), list) or not (flag is None or isinstance(flag, bool)):
        raise InputError(where, row, FORM)
    try:
        return LoggedTurn(Dialogue(tuple(Turn(each["speaker"], each["text"]) for each in row["turns"])), flag)
    except (InputError, KeyError, TypeError) as error:
        raise InputError(f"{where}, turns", row["turns"], f"objects with speaker and text ({error})") from error
