"""Persuasion For Good (Wang et al. 2019): one crowd worker persuades another to give to a charity.

File: `full_dialog.csv`: an unnamed number within the dialogue, Unit (the text), Turn (from 0, each of both speakers), B4 (0 the
persuader, 1 the persuadee), B2 (the dialogue's id). The persuader speaks first.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from grice.models.data.files import existing, number_rows, parse_each, read_table, together
from grice.models.dialogue import Turn, check_text
from grice.models.errors import DataCorrupt
from grice.models.results import PersuasionRole

FOLDER = "persuasion_for_good"
FILE = "full_dialog.csv"
COLUMNS = ["", "Unit", "Turn", "B4", "B2"]

_ROLES: dict[str, PersuasionRole] = {"0": "persuader", "1": "persuadee"}


def role_of(number: str) -> PersuasionRole:
    """The role that the files write as a number.

    Raises:
        ValueError: neither 0 nor 1.
    """
    if number not in _ROLES:
        raise ValueError(f"speaker is {number!r}, not 0 or 1")
    return _ROLES[number]


@dataclass(frozen=True)
class PersuasionTurn:
    """What one of the two said in one go."""

    role: PersuasionRole
    text: str


@dataclass(frozen=True)
class PersuasionDialogue:
    """A dialogue between two people."""

    dialogue_id: str
    turns: tuple[PersuasionTurn, ...]

    def with_bot(self, bot: PersuasionRole) -> tuple[Turn, ...]:
        """The turns as if the one in the role `bot` were the bot, and the other the user."""
        return tuple(Turn("bot" if said.role == bot else "user", said.text) for said in self.turns)


@dataclass(frozen=True)
class _Unit:
    """A row. `place` is the turn's number and, within it, 0 or 1 for who speaks: what the rows of a dialogue are in order of."""

    dialogue_id: str
    place: tuple[int, int]
    role: PersuasionRole
    text: str


def read(data_dir: Path) -> list[PersuasionDialogue]:
    """The dialogues in `persuasion_for_good/`, in file order; units of one speaker in one turn are one text, joined by spaces.

    Raises:
        DataNotFound: the file is missing.
        DataCorrupt: it is damaged, a unit is blank, or the rows of a dialogue are not together and in order; says where.
    """
    path = existing(data_dir / FOLDER, FILE)
    rows = read_table(path, "Persuasion For Good", COLUMNS, strict=True)
    units = together(path, parse_each("Persuasion For Good", path, number_rows("row", rows), _unit), lambda unit: unit.dialogue_id)
    return [_dialogue(key, own, path) for key, own in units.items()]


def _unit(row: list[str]) -> _Unit:
    _, text, turn, role, key = row
    return _Unit(key, (int(turn), int(role)), role_of(role), " ".join(check_text(text, "Unit").split()))


def _dialogue(key: str, units: list[_Unit], path: Path) -> PersuasionDialogue:
    places = [unit.place for unit in units]
    if places != sorted(places):
        raise DataCorrupt(f"{path}: the turns of dialogue {key} are out of order; fetch it again")
    turns = []
    for _, placed in groupby(units, lambda unit: unit.place):
        same = list(placed)
        turns.append(PersuasionTurn(same[0].role, " ".join(unit.text for unit in same)))
    return PersuasionDialogue(key, tuple(turns))
