"""Dialogue acts in Persuasion For Good (Wang et al. 2019): what each unit of 300 dialogues does, in the words of persuasion.

File: `300_dialog.xlsx`, one row a unit (about a sentence), a dialogue's rows together: B2 (the dialogue's id), B4 (0 the
persuader, 1 the persuadee), Turn, Unit (the text), er_label_1 or ee_label_1 (the act; the two roles have their own), er_label_2 or
ee_label_2 (a second one, rare). In a few dialogues the turns are out of order: units are in file order.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.models.data.face_acts import FaceActDialogue
from grice.models.data.files import existing, number_rows, parse_each, together
from grice.models.data.persuasion_for_good import FOLDER, role_of
from grice.models.data.xlsx import read_rows
from grice.models.dialogue import check_text, plain_text
from grice.models.results import PersuasionRole

FILE = "300_dialog.xlsx"
COLUMNS = ("B2", "B4", "Turn", "Unit", "er_label_1", "ee_label_1", "er_label_2", "ee_label_2")

_LABELS: dict[PersuasionRole, str] = {"persuader": "er_label", "persuadee": "ee_label"}


@dataclass(frozen=True)
class Unit:
    """About a sentence.

    Attributes:
        act: what it does, such as `emotion-appeal`; each role has its own acts.
        second_act: what else it does; None in nearly all units.
    """

    role: PersuasionRole
    text: str
    act: str
    second_act: str | None = None


@dataclass(frozen=True)
class DialogueOfUnits:
    """A dialogue whose units have acts."""

    dialogue_id: str
    units: tuple[Unit, ...]


def read(data_dir: Path) -> list[DialogueOfUnits]:
    """The annotated dialogues in `persuasion_for_good/`, in file order.

    Raises:
        DataNotFound: the file is missing.
        DataCorrupt: it is damaged, a unit has no text or no act, or the rows of a dialogue are not together; says where.
    """
    path = existing(data_dir / FOLDER, FILE)
    rows = parse_each(
        "Persuasion For Good", path, number_rows("row", read_rows(path, COLUMNS), 2), lambda row: (row["B2"], _unit(row))
    )
    units = together(path, rows, lambda row: row[0])
    return [DialogueOfUnits(key, tuple(unit for _, unit in own)) for key, own in units.items()]


def _unit(row: Mapping[str, str]) -> Unit:
    role = role_of(row["B4"])
    act, second = (row[f"{_LABELS[role]}_{number}"] for number in (1, 2))
    if not act:
        raise ValueError(f"no {_LABELS[role]}_1")
    return Unit(role, plain_text(check_text(row["Unit"], "Unit")), act, second or None)


def joined(dialogues: Sequence[FaceActDialogue], annotated: Sequence[DialogueOfUnits]) -> dict[str, tuple[Unit | None, ...]]:
    """For each dialogue of the face acts, by its id, the unit of every utterance; None where there is none.

    The two files share no ids: a dialogue is the one with most utterances in common, by role, letters and digits, and within it
    utterances are aligned in order.
    """
    keys = {each.dialogue_id: [_key(unit.role, unit.text) for unit in each.units] for each in annotated}
    units = {each.dialogue_id: each.units for each in annotated}
    places: defaultdict[tuple[PersuasionRole, str], set[str]] = defaultdict(set)
    for name, said in keys.items():
        for key in said:
            places[key].add(name)
    found = {}
    for dialogue in dialogues:
        said = [_key(each.role, each.text) for each in dialogue.utterances]
        shared = Counter(name for key in said for name in places[key])
        aligned: list[Unit | None] = [None] * len(said)
        for name, _ in shared.most_common(1):
            for block in difflib.SequenceMatcher(None, said, keys[name], autojunk=False).get_matching_blocks():
                aligned[block.a : block.a + block.size] = units[name][block.b : block.b + block.size]
        found[dialogue.dialogue_id] = tuple(aligned)
    return found


def _key(role: PersuasionRole, text: str) -> tuple[PersuasionRole, str]:
    return role, re.sub(r"[\W_]", "", text).lower()
