"""Anybody's own persuasions, as JSON lines: what is wanted, and who says what to whose face."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.item_lines import check_object, read_items
from grice.models.dialogue import check_text
from grice.models.errors import InputError
from grice.models.results import FACE_ACTS, PERSUASION_ROLES, FaceAct, PersuasionRole

FIELDS = {"id": (str,), "goal": (str,), "utterances": (list,)}
_UTTERANCE = {"role": (str,), "text": (str,), "face_act": (str,)}


@dataclass(frozen=True)
class OwnUtterance:
    """What one of the two says, and what it does."""

    role: PersuasionRole
    text: str
    face_act: FaceAct


@dataclass(frozen=True)
class OwnPersuasion:
    """A dialogue. `goal` is what the persuader wants, in a few words."""

    name: str
    goal: str
    utterances: tuple[OwnUtterance, ...]


def read_persuasion_items(path: Path) -> list[OwnPersuasion]:
    """The items of a file, one JSON object a line; blank lines are left out.

    Raises:
        DataNotFound: it cannot be read, or has no item.
        InputError: an item lacks a field or has a wrong one; says line, field, what it has and what is allowed.
    """
    return read_items(path, FIELDS, _item)


def _item(fields: dict[str, Any], where: str) -> OwnPersuasion:
    if not fields["utterances"]:
        raise InputError(f"{where}, utterances", "none", "at least one")
    said = [_said(each, f"{where}, utterances") for each in fields["utterances"]]
    return OwnPersuasion(fields["id"], fields["goal"], tuple(said))


def _said(given: object, where: str) -> OwnUtterance:
    row = check_object(given, where, _UTTERANCE)
    role = next((each for each in PERSUASION_ROLES if each == row["role"]), None)
    label = next((each for each in FACE_ACTS if each == row["face_act"]), None)
    if role is None:
        raise InputError(f"{where}, role", row["role"], ", ".join(PERSUASION_ROLES))
    if label is None:
        raise InputError(f"{where}, face_act", row["face_act"], ", ".join(FACE_ACTS))
    return OwnUtterance(role, check_text(row["text"], f"{where}, text"), label)
