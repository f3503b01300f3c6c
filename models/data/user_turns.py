"""Anybody's own user turns, as JSON lines: menu, history, turn, what it means, which slots it fills, its direct form.

A line is one turn with the menu of its bot, or a bot with the list `turns`, whose menu then stands there once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from grice.models.data.item_lines import Placed, check_object, read_items
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import InputError
from grice.models.schema import BotSchema

UserTurnKind = Literal["indirect", "direct", "courtesy", "out_of_scope"]
KINDS: tuple[UserTurnKind, ...] = get_args(UserTurnKind)
DONT_CARE = "dontcare"
"""The value of a slot of which the user does not mind."""
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
TURNS = "turns"
"""The field of a bot whose turns stand in one line. They have its other fields, and their place as `id` where they have none."""


@dataclass(frozen=True)
class UserTurn:
    """A user's turn and what it means.

    Attributes:
        fields: all of the line, also those that are not read. where: file and line.
        dialogue: the turn is its last. schema: what the bot can understand.
        intent: of the schema; None: none of them. slots: values that the turn gives; of all others it says nothing.
    """

    fields: Mapping[str, Any]
    where: str
    dialogue: Dialogue
    schema: BotSchema
    kind: UserTurnKind
    intent: str | None
    slots: Mapping[str, str]

    @property
    def domain(self) -> str:
        """What its figures are also given by."""
        return str(self.fields["domain"])

    @property
    def name(self) -> str:
        """Domain and id."""
        return f"{self.domain}/{self.fields['id']}"


def read_user_turns(path: Path) -> list[UserTurn]:
    """The turns of a file, one JSON object a line, a turn or a bot with its turns; blank lines are left out.

    Raises:
        DataNotFound: it cannot be read, or has no item.
        InputError: an item lacks a field or has a wrong one; says line, field, what it has and what is allowed.
    """
    return read_items(path, FIELDS, _turn, _turns_of)


def _turns_of(given: object, where: str) -> Iterable[Placed]:
    """The turns of a bot, each with the bot's fields; anything else as it is."""
    if not isinstance(given, dict) or TURNS not in given or "text" in given:
        return [(given, where)]
    turns = check_object(given, where, {TURNS: (list,)})[TURNS]
    if not turns:
        raise InputError(f"{where}, {TURNS}", turns, "a list of at least one turn")
    bot = {name: value for name, value in given.items() if name not in (TURNS, "id")}
    first = f"{given['id']}-" if "id" in given else ""
    places = [(each, place, f"{where}, turn {place}") for place, each in enumerate(turns, start=1)]
    return [({**bot, "id": f"{first}{place}", **check_object(each, at, {})}, at) for each, place, at in places]


def _turn(fields: dict[str, Any], where: str) -> UserTurn:
    intents = [check_object(each, f"{where}, intents", {"name": (str,), "description": (str,)}) for each in fields["intents"]]
    slots = {name: _slot(each, f"{where}, slots, {name}") for name, each in fields["slots"].items()}
    gold_slots = check_object(fields["gold_slots"], f"{where}, gold_slots", dict.fromkeys(fields["gold_slots"], (str,)))
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
    return UserTurn(fields, where, dialogue, schema, fields["kind"], gold, gold_slots)


def _slot(given: object, where: str) -> dict[str, Any]:
    fields = check_object(given, where, {"description": (str,), "values": (list,)})
    return {"description": fields["description"], "values": fields["values"]}


def _dialogue(fields: Mapping[str, Any], where: str) -> Dialogue:
    turns = [check_object(each, f"{where}, history", {"speaker": (str,), "text": (str,)}) for each in fields["history"]]
    try:
        history = [Turn(turn["speaker"], turn["text"]) for turn in turns]
    except InputError as error:
        raise InputError(f"{where}, history, {error.what}", error.got, error.allowed) from error
    try:
        return Dialogue((*history, Turn("user", fields["text"])))
    except InputError as error:
        raise InputError(f"{where}, {error.what}", error.got, error.allowed) from error
