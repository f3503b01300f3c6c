"""Grice's own format: what `BotSchema.of` reads."""

from __future__ import annotations

from collections.abc import Mapping

from grice.models.schema import BotSchema

RASA_SLOT = frozenset({"type", "mappings", "influence_conversation", "initial_value"})
"""Keys of a slot of a Rasa domain, where the key `slots` is a mapping too."""


def is_plain(content: object) -> bool:
    """Whether it is a mapping with intents that have names, or with slots that are not Rasa's."""
    if not isinstance(content, Mapping) or not {"intents", "slots"} & set(content):
        return False
    intents, slots = content.get("intents") or [], content.get("slots") or {}
    if not isinstance(intents, list) or not isinstance(slots, Mapping):
        return False
    named = all(isinstance(intent, Mapping) and "name" in intent for intent in intents)
    return named and not any(isinstance(slot, Mapping) and RASA_SLOT & set(slot) for slot in slots.values())


def schema_of_plain(content: object) -> BotSchema:
    """As `BotSchema.of`."""
    return BotSchema.of(content)
