"""Turns of users that were written for this project: short dialogues, each with several last turns, frustrated ones and others.

    == SETTING | who the bot is, and what the talk is about
    u what the user says
    b what the bot says
    F FLAG | a possible next turn of the user

SETTING is `chat`, `task` or `assistant`. The bot speaks last before the `F` lines. FLAG is 1 where the user is frustrated with
the bot or with how this talk goes, otherwise 0; what that means is in `hands/BRIEF.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.models.dialogue import Dialogue, Turn
from grice.models.relations.labels import SETTINGS, Setting
from grice.models.training.shorthand import Line, read_hands_with

HANDS = Path(__file__).parent / "hands"
LEARNED = ("FA", "FB", "FC")
HELD_HAND = "FD"
"""Nothing is trained, chosen or calibrated on it."""
LATER_HANDS = ("FE", "FF", "FG", "FH", "FI", "FJ")
"""Written after the model that is shipped, which has not learnt from them."""

_SPEAKERS: dict[str, Literal["user", "bot"]] = {"u": "user", "b": "bot"}


@dataclass(frozen=True)
class WrittenUserTurn:
    """A possible next turn of the user."""

    text: str
    frustrated: bool


@dataclass(frozen=True)
class WrittenUserTalk:
    """A dialogue up to the bot's last turn, and how the user may go on."""

    hand: str
    setting: Setting
    about: str
    turns: tuple[Turn, ...]
    nexts: tuple[WrittenUserTurn, ...]

    def dialogue_of(self, following: WrittenUserTurn) -> Dialogue:
        """The dialogue that ends in this turn of the user."""
        return Dialogue((*self.turns, Turn("user", following.text)))


def read_talks(folder: Path = HANDS, names: Sequence[str] = ()) -> dict[str, list[WrittenUserTalk]]:
    """The talks of each hand, by its name; of `names` alone where some are given.

    Raises:
        DataNotFound: there is no such hand. DataCorrupt: a file is not in the shorthand; says the line.
    """
    return read_hands_with(_talk, folder, names)


def _talk(hand: str, lines: Sequence[Line]) -> WrittenUserTalk:
    head, *rest = lines
    setting, about = head.split(2)
    if setting not in SETTINGS:
        raise head.corrupt(setting, ", ".join(SETTINGS))
    for before, line in zip(lines, rest, strict=False):
        if line.tag not in ("u", "b", "F") or (before.tag == "F" and line.tag != "F"):
            raise line.corrupt(line.tag, "==, F" if before.tag == "F" else "==, u, b, F")
    turns = tuple(Turn(_SPEAKERS[line.tag], line.text) for line in rest if line.tag in _SPEAKERS)
    if not turns or turns[-1].speaker != "bot":
        raise head.corrupt("no turn of the bot before the last turns", "b last")
    nexts = tuple(_next(line) for line in rest if line.tag == "F")
    if len({each.frustrated for each in nexts}) < 2:
        raise head.corrupt(f"{len(nexts)} last turns of one kind", "at least one F 1 and one F 0")
    return WrittenUserTalk(hand, next(each for each in SETTINGS if each == setting), about, turns, nexts)


def _next(line: Line) -> WrittenUserTurn:
    flag, text = line.split(2)
    if flag not in ("0", "1") or not text:
        raise line.corrupt(f"{flag} | {text}", "0 or 1, and a text")
    return WrittenUserTurn(text, flag == "1")
