"""What the reader of meaning chooses from: a bot's intents, slots and values, and what one can do with any bot's turn.

Each option is said in words. The words alone tell the reader what an option is, so it reads a bot that it has never seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from grice.models.schema import BotSchema, IntentSpec, SlotSpec

OptionKind = Literal["intent", "act", "slot", "value"]
OPTION_KINDS: tuple[OptionKind, ...] = get_args(OptionKind)

ACTS = {
    "yes": "yes: agrees, accepts or confirms what the bot asked or offered",
    "no": "no: declines, refuses or denies what the bot asked or offered",
    "not-yet": "not yet: cannot say, is unsure, has to think about it or to ask somebody first",
    "yes-but": "yes, but with a condition or a change",
    "no-but": "no, and wants something else instead",
    "any": "does not mind: any of them will do",
    "option": "chooses one of the options that the bot listed",
    "answer": "only answers the question: gives a value, a name, a number or a time",
    "courtesy": "small talk, thanks, a greeting or a goodbye: wants nothing",
    "none": "wants something that is not on the menu, which this bot cannot do",
}
"""What a turn can do whatever the bot: its name, and what is read of it. The first seven reply to a pending question or offer."""

REPLIES = tuple(ACTS)[:7]

ANY_REQUEST = BotSchema((IntentSpec("request", "the user asks the bot to do something or to tell something"),))
"""The menu of a bot of which nothing is known."""


@dataclass(frozen=True)
class MenuOption:
    """One thing that a turn may mean.

    Attributes:
        kind: what it is. name: of the intent, act or slot. value: of the slot; "" elsewhere.
        texts: what says it; the reader takes their mean.
    """

    kind: OptionKind
    name: str
    texts: tuple[str, ...]
    value: str = ""


@dataclass(frozen=True)
class Menu:
    """The options of a schema.

    Attributes:
        meanings: intents, then acts. slots: each with its values behind it, in the order of `options`.
    """

    meanings: tuple[MenuOption, ...]
    slots: tuple[tuple[MenuOption, tuple[MenuOption, ...]], ...]

    @property
    def options(self) -> tuple[MenuOption, ...]:
        """All of them: meanings, then each slot followed by its values."""
        return self.meanings + tuple(option for slot, values in self.slots for option in (slot, *values))

    @classmethod
    def of(cls, schema: BotSchema, acts: Sequence[str] = tuple(ACTS)) -> Menu:
        """The menu of a schema."""
        meanings = [MenuOption("intent", intent.name, (say_intent(intent), *intent.examples)) for intent in schema.intents]
        meanings += [MenuOption("act", act, (ACTS[act],)) for act in acts]
        slots = [(MenuOption("slot", slot.name, (say_slot(slot),)), _values(slot)) for slot in schema.slots]
        return cls(tuple(meanings), tuple(slots))


def kinds_of(options: Sequence[MenuOption]) -> list[int]:
    """Of each option the place of its kind in `OPTION_KINDS`: what the networks read."""
    return [OPTION_KINDS.index(option.kind) for option in options]


def owners_of(options: Sequence[MenuOption]) -> list[int]:
    """Of each value the place of its slot among the options, of others their own."""
    slots = {option.name: place for place, option in enumerate(options) if option.kind == "slot"}
    return [slots[option.name] if option.kind == "value" else place for place, option in enumerate(options)]


def say_name(name: str) -> str:
    """The words of a name such as `order_status`, `orderStatus` or `faq/Order-status`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return " ".join(re.split(r"[\W_]+", spaced)).strip().lower() or name


def say_intent(intent: IntentSpec) -> str:
    """An intent in words: its name and its description."""
    return _say(intent.name, intent.description)


def say_slot(slot: SlotSpec) -> str:
    """A slot in words: its name and its description."""
    return _say(slot.name, slot.description)


def say_value(slot: SlotSpec, value: str) -> str:
    """A value in words, with its slot: "seats, where to sit: window"."""
    words = say_name(slot.name)
    return f"{words}, {slot.description}: {value}" if slot.description else f"{words}: {value}"


def _values(slot: SlotSpec) -> tuple[MenuOption, ...]:
    return tuple(MenuOption("value", slot.name, (say_value(slot, value),), value) for value in slot.values)


def _say(name: str, description: str) -> str:
    words = say_name(name)
    return f"{words}: {description}" if description else words
