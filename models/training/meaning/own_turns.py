"""A bot's own logs as menus: for training and for calibration."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from grice.models.data.user_turns import DONT_CARE, UserTurn, read_user_turns
from grice.models.errors import InputError
from grice.models.schema import BotSchema
from grice.models.training.meaning.samples import NOTHING, Meaning, MenuTurns, Target
from grice.models.training.meaning.written import SlotMention

MOST_TURNS = 40
"""Of a menu, so that one bot's log makes several steps."""


def read_own_menus(path: Path) -> list[MenuTurns]:
    """The turns of a file in the format of `grice bench meaning --items`, those with the same menu together.

    Raises:
        DataNotFound: the file cannot be read, or is empty.
        InputError: an item is not in the format, or gives a slot a value that the menu does not have.
    """
    by_menu: dict[str, list[UserTurn]] = defaultdict(list)
    schemas: dict[str, BotSchema] = {}
    for turn in read_user_turns(path):
        by_menu[turn.schema.fingerprint].append(turn)
        schemas.setdefault(turn.schema.fingerprint, turn.schema)
    return [
        MenuTurns("own", schemas[key], tuple((turn.dialogue, _target(turn)) for turn in turns[start : start + MOST_TURNS]))
        for key, turns in by_menu.items()
        for start in range(0, len(turns), MOST_TURNS)
    ]


def _target(turn: UserTurn) -> Target:
    slots = {slot.name: slot for slot in turn.schema.slots}
    mentions = {}
    for name, value in turn.slots.items():
        if value == DONT_CARE:
            mentions[name] = SlotMention("any")
        elif slots[name].is_free:
            mentions[name] = SlotMention("meant", words=value)
        elif value in slots[name].values:
            mentions[name] = SlotMention("meant", (value,))
        else:
            raise InputError(f"{turn.where}, gold_slots, {name}", value, ", ".join([*slots[name].values, DONT_CARE]))
    return Target(_meaning(turn), mentions, turn.kind, None)


def _meaning(turn: UserTurn) -> Meaning:
    if turn.intent is not None:
        return ("intent", turn.intent)
    if turn.kind == "courtesy":
        return ("act", "courtesy")
    return ("act", "answer") if turn.slots else NOTHING
