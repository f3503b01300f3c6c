"""A schema, a bot's domain and a resolver of ours for the tests of indirect requests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grice.middleware.indirect_requests import RequestSlot
from grice.models.results import SlotValues
from grice.models.slot_questions import SlotQuestion

SCHEMA: list[dict[str, Any]] = [
    {
        "service_name": "Diner_1",
        "description": "Finds places to eat",
        "slots": [
            {
                "name": "price",
                "description": "How expensive the place is",
                "is_categorical": True,
                "possible_values": ["inexpensive", "moderate", "luxury"],
            },
            {
                "name": "has_garden",
                "description": "Whether the place has a garden",
                "is_categorical": True,
                "possible_values": ["True", "False"],
            },
            {"name": "city", "description": "Where it is", "is_categorical": False, "possible_values": []},
        ],
        "intents": [
            {
                "name": "FindDiner",
                "description": "Find a place to eat.",
                "required_slots": ["city"],
                "optional_slots": {"price": "dontcare", "has_garden": "dontcare"},
            }
        ],
    },
    {
        "service_name": "Film_1",
        "description": "Plays films",
        "slots": [
            {
                "name": "subtitles",
                "description": "Language of the subtitles",
                "is_categorical": True,
                "possible_values": ["Danish", "Finnish"],
            }
        ],
        "intents": [],
    },
]

DOMAIN = """\
version: "3.1"
intents:
  - inform
  - order:
      use_entities: [size]
  - no_milk
entities:
  - size
  - roast:
      roles: [bean]
slots:
  size:
    type: categorical
    values: [small, large, "2"]
    mappings:
      - type: from_entity
        entity: size
        intent: order
  roast:
    type: categorical
    values: [light, dark]
    mappings: [{type: from_entity, entity: roast, role: bean}]
  with_milk:
    type: bool
    influence_conversation: false
    mappings:
      - {type: from_intent, intent: no_milk, value: false}
      - {type: from_intent, intent: inform, value: true}
  basket:
    type: categorical
    values: [empty, full]
    mappings: [{type: custom}]
  note:
    type: text
    mappings: [{type: from_text}]
forms:
  coffee_form:
    required_slots: [size, roast]
"""
"""A coffee bot."""

PRICE = RequestSlot(
    "Diner_1",
    "price",
    "How expensive the place is",
    ("inexpensive", "moderate", "luxury"),
    "User wants to find a place to eat",
)
GARDEN = RequestSlot(
    "Diner_1", "has_garden", "Whether the place has a garden", ("True", "False"), "User wants to find a place to eat"
)

Reading = Callable[[str, tuple[str, ...]], "str | tuple[str, ...] | None"]


class ScriptedResolver:
    """Reads a value, several (ambiguous) or None (not mentioned) out of a text as a test says."""

    def __init__(self, read: Reading) -> None:
        self.read = read
        self.questions: list[SlotQuestion] = []

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        self.questions += questions
        return [self._found(question) for question in questions]

    def _found(self, question: SlotQuestion) -> SlotValues:
        read = self.read(question.dialogue.last.text, question.values)
        meant = read if isinstance(read, tuple) else () if read is None else (read,)
        share = 0.9 / len(meant) if meant else 0.0
        value = meant[0] if len(meant) == 1 else None
        probabilities = tuple(share if each in meant else 0.0 for each in question.values)
        return SlotValues(probabilities, 0.1 if meant else 1.0, value, len(meant) > 1)


def by_words(**words: str) -> Reading:
    """Reads the value whose pattern is found in the text; several are ambiguous."""

    def read(text: str, values: tuple[str, ...]) -> str | tuple[str, ...] | None:
        found = tuple(value for value in values if value in words and re.search(words[value], text, re.IGNORECASE))
        return (found[0] if len(found) == 1 else found) or None

    return read


def write_schema(folder: Path, schema: object = None) -> Path:
    path = folder / "schema.json"
    path.write_text(json.dumps(SCHEMA if schema is None else schema), encoding="utf-8")
    return path


def write_domain(folder: Path, text: str = DOMAIN) -> Path:
    path = folder / "domain.yml"
    path.write_text(text, encoding="utf-8")
    return path
