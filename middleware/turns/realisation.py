"""What a turn means, said plainly in words: sentences that the bot's own menu gives, the most natural first."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from grice.models.meaning.menu import say_name
from grice.models.meaning.results import SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec
from grice.models.text.verbatim import says, words

REPLIES = {"yes": "Yes.", "no": "No.", "not-yet": "I am not sure yet.", "any": "I do not mind, any will do."}
"""What the replies that need nothing else are in words."""
ORDINALS = ("first", "second", "third", "fourth", "fifth")
TRUTH = frozenset(("true", "false"))
MOST_EXAMPLES = 2
CHANGED = 0.5
"""From this likelihood on the user takes something back."""
SAID_FROM = 0.7
"""How sure what is read of a slot has to be to be said."""

_WORDS = {
    name: frozenset(listed.split())
    for name, listed in json.loads(Path(__file__).with_name("wish_words.json").read_text(encoding="utf-8")).items()
}
"""What descriptions of intents begin with: `verbs` are something to do, of them `nouns_too` only before one of `after_verbs`.

`bot_does` is what a bot does for the user, and so is `bot_tells` before one of `question_words`.
"""
_TELLER = re.compile(r"(?:the )?(?:user|customer|caller|guest|client|person) (?:wants|would like|asks|wishes) (?:to )?", re.I)

_REPLIES = re.compile(
    r"\b(?:yes|no|not sure|unsure|undecided|affirm|den(?:y|ies)|agrees?|accepts?|declines?|confirms?|refuses?|rejects?|hesitates?|"
    r"cannot (?:say|decide)|turns? \w+(?: \w+)? down)\b",
    re.I,
)
"""Words of intents that are replies to the bot's question."""


def realise(meaning: TurnMeaning, schema: BotSchema) -> list[str]:
    """Sentences that say it; none where it cannot be said without the user's own words, or says nothing.

    Of an intent first those of the bot's own examples that name the values that are meant, and no other of the menu.
    """
    slots = _certain(meaning)
    answers = (meaning.kind, meaning.meaning) == ("act", "answer") and meaning.changes < CHANGED
    between = ": " if answers else " "
    told = ", ".join(_say_slot(slot, between) for slot in slots)
    if meaning.kind == "act":
        said = _say_act(meaning, told)
        return [said] if said else []
    intent = next((each for each in schema.intents if each.name == meaning.meaning), None)
    if meaning.kind == "unknown" or intent is None:
        return []
    wish = say_wish(intent)
    plain, replies = f"{wish}: {told}." if told else f"{wish}.", [] if told else [*REPLIES.values()]
    first = _REPLIES.search(f"{say_name(intent.name)} {intent.description}") or not wish.startswith("I want")
    ours = [*replies, plain] if first else [plain, *replies]  # a bot may list replies among its intents
    return [*_fitting_examples(intent, slots, schema), *ours]


def say_wish(intent: IntentSpec) -> str:
    """An intent as a wish, without a full stop: "I want to have a bicycle repaired", "I want to know when it is open"."""
    text = _TELLER.sub("", (intent.description or say_name(intent.name)).strip().rstrip(".!?"))
    text = re.sub(r"^(?:wants? to|to) ", "", text)
    first, second = (*text.lower().split()[:2], "", "")[:2]
    own = text[:1].lower() + text[1:]
    if (first in _WORDS["bot_tells"] and second in _WORDS["question_words"]) or first in _WORDS["bot_does"]:
        return f"I want you to {own}"
    if first in _WORDS["verbs"] and (first not in _WORDS["nouns_too"] or second in _WORDS["after_verbs"]):
        return f"I want to {own}"
    if first in _WORDS["question_words"]:
        return f"I want to know {own}"
    return f"I want {own}" if first in _WORDS["wanted"] else f"This is about: {own}"


def _say_slot(slot: SlotMeaning, between: str) -> str:
    name = say_name(slot.slot)
    if slot.said == "any":
        return f"any {name}"
    return f"{'not ' if slot.said == 'not_this' else ''}{name}{between}{' or '.join(slot.values)}"


def _say_act(meaning: TurnMeaning, told: str) -> str:
    act = meaning.meaning
    if told and meaning.changes >= CHANGED:
        return f"I want to change that: {told}."
    if act == "option":
        return f"The {ORDINALS[meaning.option - 1]} one." if meaning.option else ""
    if act in REPLIES:
        return f"{REPLIES[act][:-1]}: {told}." if told else REPLIES[act]
    if not told or act not in ("yes-but", "no-but", "answer"):
        return ""
    instead = " instead" if any(slot.said == "meant" for slot in meaning.slots) else ""
    return {"yes-but": f"Yes, but {told}.", "no-but": f"No, {told}{instead}.", "answer": f"{told[0].upper()}{told[1:]}."}[act]


def _fitting_examples(intent: IntentSpec, slots: Sequence[SlotMeaning], schema: BotSchema) -> list[str]:
    """The shortest of them that name just the values that are meant; none where something else is said of a slot."""
    if any(slot.said != "meant" for slot in slots):
        return []
    meant = {value for slot in slots for value in slot.values}
    known = {value for slot in schema.slots for value in slot.values} | meant
    fitting = [text for text in intent.examples if {value for value in known if says(text, value)} == meant]
    return sorted(fitting, key=lambda text: len(words(text)))[:MOST_EXAMPLES]


def is_verified(meaning: TurnMeaning, again: TurnMeaning) -> bool:
    """Whether a sentence that is read as `again` says what was meant, and of no slot anything else.

    A bare answer is its values alone, so all of those must be found again.
    """
    adds_nothing = all(_same(slot, meaning.slots) for slot in again.slots)
    if (meaning.kind, meaning.meaning) == ("act", "answer"):
        return adds_nothing and all(_same(slot, again.slots) for slot in _certain(meaning))
    best = again.possible[0]
    return adds_nothing and (meaning.kind, meaning.meaning) == (best.kind, best.name)


def _certain(meaning: TurnMeaning) -> list[SlotMeaning]:
    """The slots of which one can say what was said, surely; of one that is true or false the intent says it, such as a yes."""
    told = [slot for slot in meaning.slots if slot.said != "ambiguous" and slot.confidence >= SAID_FROM]
    return [slot for slot in told if not TRUTH.issuperset(slot.values or ("",))]


def _same(slot: SlotMeaning, slots: Sequence[SlotMeaning]) -> bool:
    return any((slot.slot, slot.said, slot.values) == (each.slot, each.said, each.values) for each in slots)
