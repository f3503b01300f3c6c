"""What a menu leaves out: texts, names that say something, and the intents that slots belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grice.middleware.schemas.check.finding import SchemaFinding
from grice.models.schema import BotSchema
from grice.models.slots.inputs import words

EMPTY_WORDS = frozenset(
    (
        *("action", "arg", "argument", "bar", "baz", "entity", "foo", "func", "function", "intent", "name", "object", "param"),
        *("parameter", "property", "service", "skill", "slot", "temp", "test", "tmp", "tool", "unnamed", "untitled", "var"),
        *("value", "variable"),
    )
)
"""Words that say what kind of thing a name is of, and not which."""
NAMES_ALONE = frozenset({"name", "test", "object", "service", "action", "property"})
"""Those of them that say something where they stand alone."""


def find_gaps(schema: BotSchema) -> list[SchemaFinding]:
    """What is left out of each intent and each slot."""
    return [*_intents(schema), *_slots(schema)]


def in_words(name: str) -> str:
    """A name of an intent or a slot in words: `Hotels_1.FindHotel` is "hotels 1 find hotel"."""
    return words(re.sub(r"[./+]", "_", name))


def _intents(schema: BotSchema) -> Iterator[SchemaFinding]:
    for intent in schema.intents:
        if not intent.description.strip() and not intent.examples:
            message = (
                "has neither a description nor examples; say in a phrase what the user wants with it, or give turns that have it"
            )
            yield SchemaFinding("intent-without-text", (intent.name,), message)
        if _is_empty(intent.name):
            yield _empty_name("intent", intent.name)


def _slots(schema: BotSchema) -> Iterator[SchemaFinding]:
    taken = {name for intent in schema.intents for name in intent.slots}
    for slot in schema.slots:
        if not slot.description.strip() and slot.is_free:
            message = "has neither values nor a description; say in a phrase what it is, or list its values"
            yield SchemaFinding("slot-without-text", (slot.name,), message)
        if _is_empty(slot.name):
            yield _empty_name("slot", slot.name)
        if schema.intents and slot.name not in taken:
            message = "belongs to no intent; name it among the slots of the intents that take it"
            yield SchemaFinding("slot-of-no-intent", (slot.name,), message)


def _empty_name(what: str, name: str) -> SchemaFinding:
    return SchemaFinding("empty-name", (name,), f"is a name that says nothing; call the {what} what it is about")


def _is_empty(name: str) -> bool:
    """Whether a name says only what kind of thing it is of: `intent_1`, `x`, `42`."""
    parts = [part for part in re.split(r"[\W\d_]+", in_words(name)) if part]
    if len(parts) == 1 and parts[0] in NAMES_ALONE:
        return any(map(str.isdigit, name))
    return all(part in EMPTY_WORDS or (len(part) == 1 and part.isascii()) for part in parts)
