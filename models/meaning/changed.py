"""Which slots a turn changes: it says something else of them than the user said, or the bot confirmed, before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grice.models.dialogue import Turn
from grice.models.meaning.results import SlotMeaning
from grice.models.text.verbatim import says

CHANGES_FROM = 0.1
"""A turn that takes something back with less likelihood than this changes no slot."""
SURELY_FROM = 0.5
"""From this likelihood on it changes a slot even if what is read of it is what was said before: that reading is wrong then."""
LOOKS_BACK = 20
"""Turns before the last that are searched for what was said."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def find_changed(
    history: Sequence[Turn], slots: Sequence[SlotMeaning], values: Mapping[str, Sequence[str]], changes: float
) -> tuple[str, ...]:
    """The slots of which a turn does not say what was said before it.

    Args:
        history: the turns before it, oldest first.
        slots: what it says of slots.
        values: of the menu's slots, by name. Without values a slot is free text: of that it cannot be told.
        changes: how likely it takes something back, 0 to 1.
    """
    if changes < CHANGES_FROM:
        return ()
    before = {slot.slot: find_said(history[-LOOKS_BACK:], values[slot.slot]) for slot in slots}
    known = ((slot, said) for slot in slots if (said := before[slot.slot]) is not None)
    return tuple(slot.slot for slot, said in known if changes >= SURELY_FROM or _differs(slot, said))


def find_said(history: Sequence[Turn], values: Sequence[str]) -> str | None:
    """Which of a slot's values a history says last, in so many words: a turn of the user, or what the bot answers it.

    What the bot asks counts for nothing, and neither does what names several values.
    """
    found: str | None = None
    answers = False
    for turn in history:
        answers = answers or turn.speaker == "user"
        for part in _SENTENCE.split(turn.text) if answers else ():
            named = [value for value in values if says(part, value)]
            if len(named) == 1 and (turn.speaker == "user" or not part.endswith("?")):
                found = named[0]
    return found


def _differs(slot: SlotMeaning, said: str) -> bool:
    if slot.said == "not_this":
        return said in slot.values
    return said not in slot.values
