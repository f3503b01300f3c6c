"""What a turn means, said plainly in words: sentences that the bot's own menu gives."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from grice.middleware.turns.statement import Statement
from grice.models.meaning.listed_options import ORDINALS
from grice.models.meaning.menu import say_name
from grice.models.meaning.results import SlotMeaning, TurnMeaning
from grice.models.schema import BotSchema, IntentSpec

REPLIES = {"yes": "Yes.", "no": "No.", "not-yet": "I am not sure yet.", "any": "I do not mind, any will do."}
"""What the replies that need nothing else are in words."""
WITHOUT_VALUES = {"no-but": "No, I want something else instead.", "yes-but": "Yes, but: {turn}"}
"""What is said where no value can be told. A condition must not be dropped: it is told in the user's own words."""
CHANGED = 0.5
"""From this likelihood on the user takes something back."""
NOT_YET = "Not yet."
"""Said to a bot that proposes to do something now; true of one who will never want it, too."""

_PROPOSES = re.compile(r"\b(?:shall|should|may|can|could|do|will) (?:i|we)\b|\bready\b", re.I)
"""What a question has in which the bot proposes to do something."""

_WORDS = {
    name: frozenset(listed.split())
    for name, listed in json.loads(Path(__file__).with_name("wish_words.json").read_text(encoding="utf-8")).items()
}
"""What descriptions of intents begin with: `verbs` are something to do, of them `nouns_too` only before one of `after_verbs`.

Of those `verbs_mostly` are verbs in a description before any word but one of `after_nouns`: "order food", not "order status".
`bot_does` is what a bot does for the user, and so is `bot_tells` before one of `question_words`, and a verb in the third person
("books a table") that is none of what `users_do` ("reports a loss"). Before one of `after_help` help is what the user gets.
"""
_VERBS = frozenset().union(*(_WORDS[name] for name in ("verbs", "bot_tells", "bot_does", "users_do")))
_FOR_THE_USER = re.compile(r"(\w+) (?:me|the (?:user|customer))\b(?!['’])", re.I)
"""A verb whose object is the user: it is the bot that does it."""
_TELLER = re.compile(r"(?:the )?(?:user|customer|caller|guest|client|person) (?:wants|would like|asks|wishes) (?:to )?", re.I)

_REPLIES = re.compile(
    r"\b(?:yes|no|not sure|unsure|undecided|affirms?|den(?:y|ies)|agrees?|accepts?|approves?|declines?|confirms?|refuses?|rejects?"
    r"|hesitates?|cannot (?:say|decide)|turns? \w+(?: \w+)? down)\b",
    re.I,
)
"""Words of intents that are replies to the bot's question."""


def realise(statement: Statement, schema: BotSchema, examples: Sequence[str] = (), asked: str = "") -> list[list[str]]:
    """Sentences that say it, the most natural first; none where it cannot be said, or says nothing.

    They come in groups: sentences of a later one are for where none of an earlier one is read as what is meant.

    Args:
        examples: the bot's own examples of the intent that say just this; they come first.
        asked: the bot's turn before; "" where it said nothing, so that nothing can be replied to it.
    """
    slots = statement.slots
    between = ": " if statement.answers and statement.meaning.changes < CHANGED else " "
    told = ", ".join(_say_slot(slot, between) for slot in slots)
    if statement.kind == "act":
        said = [_say_act(statement, told)]
        if said == [REPLIES["not-yet"]] and _PROPOSES.search(asked):
            said.insert(0, NOT_YET)
        return [[each] for each in said if each]
    intent = next((each for each in schema.intents if each.name == statement.name), None)
    if intent is None:
        return []
    wish = say_wish(intent)
    if told:
        return [[*examples, f"{wish}: {told}."]]
    plain = f"{wish}."
    if not asked:
        return [[*examples, plain]]
    replies = [*REPLIES.values()]
    if _REPLIES.search(f"{say_name(intent.name)} {intent.description}"):  # a bot may list replies among its intents
        return [[*examples, *replies], [plain]]
    return [[*examples, plain], replies]


def say_wish(intent: IntentSpec) -> str:
    """An intent as a wish, without a full stop: "I want to have a bicycle repaired", "I want to know when it is open"."""
    text = _TELLER.sub("", (intent.description or say_name(intent.name)).strip().rstrip(".!?"))
    text = re.sub(r"\bthe user['’]s\b", "my", re.sub(r"^(?:wants? to|to) ", "", text))
    for_the_user = _FOR_THE_USER.match(text)
    if for_the_user and _is_verb(for_the_user[1].lower()):
        return f"I want you to {_first_person(for_the_user[1].lower()) or for_the_user[1].lower()} me{text[for_the_user.end() :]}"
    first, second = (*text.lower().split()[:2], "", "")[:2]
    own = text[:1].lower() + text[1:]
    if (first in _WORDS["bot_tells"] and second in _WORDS["question_words"]) or first in _WORDS["bot_does"]:
        return f"I want you to {own}"
    if first == "help" and (second in _WORDS["after_help"] or second.endswith("ing")):
        return f"I want {own}"
    first = first.strip(",")
    if first in _WORDS["verbs"] and (first not in _WORDS["nouns_too"] or _is_object(first, second, intent)):
        return f"I want to {own}"
    if first in _WORDS["question_words"]:
        return f"I want to know {own}"
    if first in _WORDS["wanted"]:
        return f"I want {own}"
    does = _first_person(first) if second in _WORDS["after_verbs"] else ""
    if not does:
        return f"This is about: {own}"
    rest = own[len(first) :]
    if does in ("want", "need"):
        return f"I {does}{rest}"
    return f"I want {'' if does in _WORDS['users_do'] else 'you '}to {does}{rest}"


def _is_verb(word: str) -> bool:
    return word in _VERBS or _first_person(word) != ""


def _is_object(first: str, second: str, intent: IntentSpec) -> bool:
    """Whether `first`, which may be a noun, is a verb before `second`."""
    if second in _WORDS["after_verbs"]:
        return True
    described = bool(intent.description and second)
    return described and first in _WORDS["verbs_mostly"] and second.strip(",;:") not in _WORDS["after_nouns"]


def _first_person(word: str) -> str:
    """ "book" of "books"; "" of what is no verb in the third person."""
    found = (word[: -len(end)] + put for end, put in (("ies", "y"), ("es", ""), ("s", "")) if word.endswith(end))
    return next((each for each in found if each in _VERBS), "")


def _say_slot(slot: SlotMeaning, between: str) -> str:
    name = say_name(slot.slot)
    if slot.said == "any":
        return f"any {name}"
    return f"{'not ' if slot.said == 'not_this' else ''}{name}{between}{' or '.join(slot.values)}"


def _say_act(statement: Statement, told: str) -> str:
    act, option = statement.name, statement.meaning.option
    if told and statement.meaning.changes >= CHANGED:
        return f"I want to change that: {told}."
    if act == "option":
        return f"The {ORDINALS[option - 1]} one." if option else ""
    if act in REPLIES:
        return f"{REPLIES[act][:-1]}: {told}." if told else REPLIES[act]
    if not told:
        return WITHOUT_VALUES.get(act, "").format(turn=statement.text)
    instead = " instead" if any(slot.said == "meant" for slot in statement.slots) else ""
    said = {"yes-but": f"Yes, but {told}.", "no-but": f"No, {told}{instead}.", "answer": f"{told[0].upper()}{told[1:]}."}
    return said.get(act, "")


def is_verified(statement: Statement, again: TurnMeaning) -> bool:
    """Whether a sentence that is read as `again` says what was meant, and of no slot anything else than was read.

    A bare answer is its values alone, so all of those must be found again.
    """
    adds_nothing = all(_same(slot, statement.meaning.slots) for slot in again.slots)
    if statement.answers:
        return adds_nothing and all(_same(slot, again.slots) for slot in statement.slots)
    best = again.possible[0]
    return adds_nothing and (statement.kind, statement.name) == (best.kind, best.name)


def share_of(statement: Statement, again: TurnMeaning) -> float:
    """The share that a sentence which is read as `again` gives to what was meant, to two digits: less is no difference."""
    meant = (statement.kind, statement.name)
    return round(next((each.share for each in again.possible if (each.kind, each.name) == meant), 0.0), 2)


def _same(slot: SlotMeaning, slots: Sequence[SlotMeaning]) -> bool:
    return any((slot.slot, slot.said, slot.values) == (each.slot, each.said, each.values) for each in slots)
