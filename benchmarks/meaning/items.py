"""Anybody's own turns, as JSON lines: menu, history, turn, what it means, which slots it fills, its direct form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from grice.benchmarks.meaning.cases import NOTHING, CaseKind, MeaningCase
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import DataNotFound, InputError
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema

KINDS = get_args(CaseKind)
FIELDS: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "domain": (str,),
    "intents": (list,),
    "slots": (dict,),
    "history": (list,),
    "text": (str,),
    "kind": (str,),
    "gold_intent": (str, type(None)),
    "gold_slots": (dict,),
    "gold_direct": (str,),
}
"""The fields that are read, and what each is. Others are kept and not read."""
_WORDS = {str: "a text", list: "a list", dict: "an object", type(None): "null"}


@dataclass(frozen=True)
class Item:
    """A line of the file: all its fields, and the case that it makes."""

    fields: Mapping[str, Any]
    case: MeaningCase


def read_items(path: Path) -> list[Item]:
    """The items of a file, one JSON object a line; blank lines are left out.

    Raises:
        DataNotFound: it cannot be read, or has no item.
        InputError: an item lacks a field or has a wrong one; says line, field, what it has and what is allowed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataNotFound(f"items {path}: {error}") from error
    items = [_item(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not items:
        raise DataNotFound(f"items {path}: no item in it; give one JSON object a line")
    return items


def _item(line: str, where: str) -> Item:
    try:
        given = json.loads(line)
    except ValueError as error:
        raise InputError(where, line, f"one JSON object ({error})") from error
    fields = _object(given, where, FIELDS)
    intents = [_object(each, f"{where}, intents", {"name": (str,), "description": (str,)}) for each in fields["intents"]]
    slots = {name: _slot(each, f"{where}, slots, {name}") for name, each in fields["slots"].items()}
    gold_slots = _object(fields["gold_slots"], f"{where}, gold_slots", dict.fromkeys(fields["gold_slots"], (str,)))
    if fields["kind"] not in KINDS:
        raise InputError(f"{where}, kind", fields["kind"], ", ".join(KINDS))
    for name in gold_slots:
        if name not in slots:
            raise InputError(f"{where}, gold_slots", name, ", ".join(slots) or "none: the item has no slots")
    menu = {"intents": [{name: each[name] for name in ("name", "description")} for each in intents], "slots": slots}
    names, gold = [intent["name"] for intent in intents], fields["gold_intent"]
    if gold is not None and gold not in names:
        raise InputError(f"{where}, gold_intent", gold, ", ".join([*names, "null"]))
    dialogue = _dialogue(fields, where)
    try:
        schema = BotSchema.of(menu)
    except InputError as error:
        raise InputError(f"{where}, {error.what}", error.got, error.allowed) from error
    return Item(
        fields,
        MeaningCase(
            MeaningQuestion(dialogue, schema),
            f"{fields['domain']}/{fields['id']}",
            NOTHING if gold is None else ("intent", gold),
            fields["kind"],
            fields["domain"],
            gold_slots,
        ),
    )


def _slot(given: object, where: str) -> dict[str, Any]:
    fields = _object(given, where, {"description": (str,), "values": (list,)})
    return {"description": fields["description"], "values": fields["values"]}


def _dialogue(fields: Mapping[str, Any], where: str) -> Dialogue:
    turns = [_object(each, f"{where}, history", {"speaker": (str,), "text": (str,)}) for each in fields["history"]]
    try:
        history = [Turn(turn["speaker"], turn["text"]) for turn in turns]
    except InputError as error:
        raise InputError(f"{where}, history, {error.what}", error.got, error.allowed) from error
    try:
        return Dialogue((*history, Turn("user", fields["text"])))
    except InputError as error:
        raise InputError(f"{where}, {error.what}", error.got, error.allowed) from error


def _object(given: object, where: str, kinds: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """`given`, with the fields of `kinds` and perhaps others."""
    if not isinstance(given, dict):
        raise InputError(where, given, f"an object with {', '.join(kinds)}")
    for name, allowed in kinds.items():
        words = " or ".join(_WORDS[each] for each in allowed)
        if name not in given:
            raise InputError(f"{where}, {name}", "no such field", words)
        if not isinstance(given[name], allowed):
            raise InputError(f"{where}, {name}", given[name], words)
    return given
