"""Responses that were written for this project: short dialogues, each with several responses of the bot, fine ones and faulty ones.

    == SETTING | who the bot is, and what the talk is about
    d a document that the bot was given
    f field: value; field: value
    u what the user says
    b what the bot says
    R LABELS | N "words of line N" | "words of the response" | the response

SETTING is `chat`, `task` or `assistant`. All `R` lines of a context are possible next responses. LABELS are joined by commas; what
they mean is in `hands/BRIEF.md`. N counts the lines above from 1: what the response clashes with, or repeats, or ignores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.models.dialogue import Turn
from grice.models.relations.labels import SETTINGS, Setting
from grice.models.training.shorthand import Line, read_hands_with

HANDS = Path(__file__).parent / "hands"

FINE = ("ok", "ok!", "emp")
"""Labels of responses that are fine; `ok!` is one that a hasty judge takes for a fault."""
FAULTS = ("!sel", "!par", "red", "again", "ign", "part", "!rel", "!fac", "unsup", "!com", "!emp", "promise")
LABELS = FINE + FAULTS

_SPEAKERS: dict[str, Literal["user", "bot"]] = {"u": "user", "b": "bot"}
_EVIDENCE = re.compile(r'(\d+)\s+"?(.*?)"?')


@dataclass(frozen=True)
class LineEvidence:
    """The words that a response clashes with. `line` counts the lines of its context from 0."""

    line: int
    words: str


@dataclass(frozen=True)
class WrittenResponse:
    """A response under test. `words` are its own that are at fault; "" where none can be pointed at."""

    text: str
    labels: frozenset[str]
    evidence: LineEvidence | None
    words: str

    @property
    def is_fine(self) -> bool:
        """Whether it has no fault."""
        return not self.labels & set(FAULTS)


@dataclass(frozen=True)
class WrittenContext:
    """A dialogue up to the user's last turn, and possible responses.

    Attributes:
        lines: of the context: documents, rows and turns, as `LineEvidence` counts them. documents, facts: what the bot was given.
    """

    hand: str
    setting: Setting
    about: str
    lines: tuple[str, ...]
    documents: tuple[str, ...]
    facts: tuple[dict[str, str], ...]
    turns: tuple[Turn, ...]
    responses: tuple[WrittenResponse, ...]


def read_contexts(folder: Path = HANDS, names: Sequence[str] = ()) -> dict[str, list[WrittenContext]]:
    """The contexts of each hand, by its name; of `names` alone where some are given.

    Raises:
        DataNotFound: there is no such hand. DataCorrupt: a file is not in the shorthand; says the line.
    """
    return read_hands_with(_context, folder, names)


def _context(hand: str, lines: Sequence[Line]) -> WrittenContext:
    head, *rest = lines
    setting, about = head.split(2)
    if setting not in SETTINGS:
        raise head.corrupt(setting, ", ".join(SETTINGS))
    given = [line for line in rest if line.tag != "R"]
    for line in given:
        if line.tag not in ("d", "f", "u", "b"):
            raise line.corrupt(line.tag, "==, d, f, u, b, R")
    if not given or given[-1].tag != "u":
        raise head.corrupt("no turn of the user before the responses", "u last")
    return WrittenContext(
        hand,
        next(each for each in SETTINGS if each == setting),
        about,
        tuple(line.text for line in given),
        tuple(line.text for line in given if line.tag == "d"),
        tuple(_row(line) for line in given if line.tag == "f"),
        tuple(Turn(_SPEAKERS[line.tag], line.text) for line in given if line.tag in _SPEAKERS),
        tuple(_response(line, given) for line in rest if line.tag == "R"),
    )


def _row(line: Line) -> dict[str, str]:
    fields = [part.partition(":") for part in line.text.split(";") if part.strip()]
    return {name.strip(): value.strip() for name, _, value in fields}


def _response(line: Line, given: Sequence[Line]) -> WrittenResponse:
    labels, evidence, words, text = line.split(4)
    found = frozenset(label.strip() for label in labels.split(","))
    if unknown := found - set(LABELS):
        raise line.corrupt(", ".join(sorted(unknown)), ", ".join(LABELS))
    words = words.strip('"')
    if not text or words.lower() not in text.lower():
        raise line.corrupt(words or text, "a response, and words of it")
    return WrittenResponse(text, found, _line_evidence(line, evidence, given) if evidence else None, words)


def _line_evidence(line: Line, evidence: str, given: Sequence[Line]) -> LineEvidence:
    found = _EVIDENCE.fullmatch(evidence)
    if found is None or not 1 <= int(found[1]) <= len(given) or found[2].lower() not in given[int(found[1]) - 1].text.lower():
        raise line.corrupt(evidence, f"a line from 1 to {len(given)}, and words of it")
    return LineEvidence(int(found[1]) - 1, found[2])
