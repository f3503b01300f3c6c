"""Anybody's own responses under test, as JSON lines: turns, response, what is wrong with it, what it clashes with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.item_lines import check_object, read_items
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.relations.rows import text_rows

FIELDS: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "setting": (str,),
    "turns": (list,),
    "response": (str,),
    "gold": (dict,),
    "evidence_turn": (int, type(None)),
}
"""The fields that must be there, and what each is. `context`, `documents`, `facts` and `policy` may be; others are not read."""


@dataclass(frozen=True)
class OwnResponse:
    """A response under test.

    Attributes:
        fields: all of the line, also those that are not read.
        dialogue: it ends in the response. gold: for each label that was judged whether the response has it.
        evidence_turn: the place in the dialogue of what it clashes with, if there is such a turn.
        context: items of one context are compared with each other.
    """

    fields: Mapping[str, Any]
    name: str
    setting: str
    context: str
    dialogue: Dialogue
    documents: tuple[str, ...]
    facts: tuple[dict[str, str], ...]
    policy: tuple[str, ...]
    gold: Mapping[str, bool]
    evidence_turn: int | None


def read_response_items(path: Path) -> list[OwnResponse]:
    """The items of a file, one JSON object a line; blank lines are left out.

    Raises:
        DataNotFound: it cannot be read, or has no item.
        InputError: an item lacks a field or has a wrong one; says line, field, what it has and what is allowed.
    """
    return read_items(path, FIELDS, _item)


def _item(fields: dict[str, Any], where: str) -> OwnResponse:
    gold = check_object(fields["gold"], f"{where}, gold", dict.fromkeys(fields["gold"], (bool,)))
    try:
        dialogue = Dialogue((*_turns(fields["turns"], where), Turn("bot", fields["response"])))
    except InputError as error:
        raise InputError(f"{where}, {error.what}", error.got, error.allowed) from error
    place = fields["evidence_turn"]
    if place is not None and (isinstance(place, bool) or not 0 <= place < len(dialogue.history)):
        raise InputError(f"{where}, evidence_turn", place, f"null, or a place from 0 to {len(dialogue.history) - 1}")
    return OwnResponse(
        fields,
        fields["id"],
        fields["setting"],
        str(fields.get("context") or fields["id"]),
        dialogue,
        _texts(fields, "documents", where),
        text_rows(_list(fields, "facts", where), f"{where}, facts"),
        _texts(fields, "policy", where),
        gold,
        place,
    )


def _turns(given: list[Any], where: str) -> list[Turn]:
    rows = [check_object(each, f"{where}, turns", {"speaker": (str,), "text": (str,)}) for each in given]
    return [Turn(row["speaker"], row["text"]) for row in rows]


def _texts(fields: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    found = _list(fields, name, where)
    for each in found:
        if not isinstance(each, str):
            raise InputError(f"{where}, {name}", each, "a list of texts")
    return tuple(each for each in found if each.strip())


def _list(fields: Mapping[str, Any], name: str, where: str) -> list[Any]:
    given = fields.get(name) or []
    if not isinstance(given, list):
        raise InputError(f"{where}, {name}", given, "a list")
    return given
