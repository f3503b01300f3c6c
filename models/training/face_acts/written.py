"""Persuasion that was written for this project: dialogues with goals of all kinds, each utterance with its face act.

    == KIND | the persuader wants: GOAL | END
    p ACT | what the persuader says
    e ACT | what the other says

END is how the persuadee stands in the end: `yes`, `no`, `partly` or `open`. What the acts mean is in `hands/BRIEF.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from grice.models.results import FACE_ACTS, FaceAct, PersuasionRole
from grice.models.training.shorthand import Line, read_hands_with

HANDS = Path(__file__).parent / "hands"
GOAL = "the persuader wants:"

PersuasionEnd = Literal["yes", "no", "partly", "open"]
ENDS: tuple[PersuasionEnd, ...] = get_args(PersuasionEnd)

_ROLES: dict[str, PersuasionRole] = {"p": "persuader", "e": "persuadee"}


@dataclass(frozen=True)
class WrittenUtterance:
    """What one of the two says, and what it does to their faces."""

    role: PersuasionRole
    text: str
    face_act: FaceAct


@dataclass(frozen=True)
class WrittenPersuasion:
    """A dialogue. `kind` is the area of life, `goal` what the persuader wants, `end` how the persuadee stands in the end."""

    hand: str
    kind: str
    goal: str
    end: PersuasionEnd
    utterances: tuple[WrittenUtterance, ...]


def read_persuasion(folder: Path = HANDS, names: Sequence[str] = ()) -> dict[str, list[WrittenPersuasion]]:
    """The dialogues of each hand, by its name; of `names` alone where some are given.

    Raises:
        DataNotFound: there is no such hand. DataCorrupt: a file is not in the shorthand; says the line.
    """
    return read_hands_with(_dialogue, folder, names)


def _dialogue(hand: str, lines: Sequence[Line]) -> WrittenPersuasion:
    head, *rest = lines
    kind, goal, end = head.split(3)
    if end not in ENDS or not goal.startswith(GOAL):
        raise head.corrupt(f"{goal} | {end}", f"{GOAL} … | one of {', '.join(ENDS)}")
    utterances = tuple(_utterance(line) for line in rest)
    return WrittenPersuasion(hand, kind, goal.removeprefix(GOAL).strip(), next(each for each in ENDS if each == end), utterances)


def _utterance(line: Line) -> WrittenUtterance:
    if line.tag not in _ROLES:
        raise line.corrupt(line.tag, "==, p, e")
    act, text = line.split(2)
    face_act = next((each for each in FACE_ACTS if each == act), None)
    if face_act is None or not text:
        raise line.corrupt(f"{act} | {text}", f"one of {', '.join(FACE_ACTS)}, and a text")
    return WrittenUtterance(_ROLES[line.tag], text, face_act)
