"""A question that finds out what a turn means, where the reader of meaning is torn between few things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grice.middleware.turns.realisation import REPLIES, say_wish
from grice.models.meaning.menu import say_name
from grice.models.meaning.results import PossibleMeaning, SlotMeaning, TurnMeaning
from grice.models.results import Share
from grice.models.schema import BotSchema

MOST_OPTIONS = 3
LEAST_SHARE = 0.05
"""What is less likely than this is not asked about."""
OPEN_FROM = 0.5
"""How sure the reader has to be that a turn leaves open which value it means."""
WISH, TOPIC = "I want ", "This is about: "
REPLIES_MEANT = {"yes": "yes", "no": "no", "not-yet": "that you are not sure yet", "any": "that any will do"}
"""What comes after "Do you mean"."""


@dataclass(frozen=True)
class ClarifyOption:
    """One thing that the user may have meant.

    Attributes:
        kind: "intent" of the menu, "act" (what one can do with any bot's turn, such as `yes`) or "value" of the slot in question.
        name: Of the intent or act, or the value itself.
        text: It as the user would say it plainly: a title for a button, and a turn that the bot can read.
        share: How likely it is meant, 0 to 1.
    """

    kind: Literal["intent", "act", "value"]
    name: str
    text: str
    share: Share


@dataclass(frozen=True)
class Clarification:
    """What to ask the user, ready to be asked.

    Attributes:
        slot: The slot in question; "" where the options are meanings.
        options: What the user may have meant, at most three, the likeliest first.
        question: One question that names them all.
    """

    slot: str
    options: tuple[ClarifyOption, ...]
    question: str


def clarify(meaning: TurnMeaning, schema: BotSchema, least: float) -> Clarification | None:
    """The question about a turn that cannot be rewritten; None where it would not help.

    It is about the likeliest meanings if at most three of those that can be said plainly hold enough of the share of all, else
    about the values of a slot that was left ambiguous.

    Args:
        least: the share of all that the options must hold, 0 to 1.
    """
    return _about_meanings(meaning.possible, schema, least) or _about_slot(meaning.slots)


def _about_meanings(possible: Sequence[PossibleMeaning], schema: BotSchema, least: float) -> Clarification | None:
    options: list[ClarifyOption] = []
    for each in possible:
        text = _say(each, schema)
        if text and each.share >= LEAST_SHARE and all(text != other.text for other in options):
            options.append(ClarifyOption(each.kind, each.name, text, each.share))
        if sum(option.share for option in options) >= least:
            return Clarification("", tuple(options), _ask(options))
        if len(options) == MOST_OPTIONS:
            return None
    return None


def _about_slot(slots: Sequence[SlotMeaning]) -> Clarification | None:
    for slot in slots:
        if slot.said == "ambiguous" and len(slot.values) > 1 and slot.confidence >= OPEN_FROM:
            name = say_name(slot.slot)
            each = slot.confidence / len(slot.values)
            options = tuple(ClarifyOption("value", value, f"{name.capitalize()}: {value}.", each) for value in slot.values)
            return Clarification(slot.slot, options, f"Which {name} do you mean: {' or '.join(slot.values)}?")
    return None


def _say(possible: PossibleMeaning, schema: BotSchema) -> str:
    """A meaning as a turn; "" where it cannot be said without the user's own words."""
    if possible.kind == "act":
        return REPLIES.get(possible.name, "")
    return next((f"{say_wish(intent)}." for intent in schema.intents if intent.name == possible.name), "")


def _ask(options: Sequence[ClarifyOption]) -> str:
    if all(option.kind == "act" for option in options):
        begin, said = "Do you mean", [REPLIES_MEANT[option.name] for option in options]
    elif all(option.text.startswith(WISH) for option in options):
        begin, said = "Do you want", [option.text.removeprefix(WISH).rstrip(".") for option in options]
    else:
        begin, said = "What do you mean:", [f"“{option.text.removeprefix(TOPIC).rstrip('.')}”" for option in options]
    return f"{begin} {', '.join(said)}, or something else?"
