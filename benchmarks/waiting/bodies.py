"""Requests: small ones, each of which is new, and the heaviest that are legal, under a megabyte."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_WORDS = (
    "garden window river paper table morning ticket bridge summer market yellow kitchen letter station winter museum",
    "simple corner quiet doctor travel silver dinner harbour pocket engine yesterday mountain village customer",
)
WORDS = " ".join(_WORDS).split()
INDIRECT = (
    "I wish it were not so cold in room {}.",
    "My wife and I have not eaten since breakfast at {}.",
    "The last time, number {} was far too loud for us.",
    "I am on a tight budget of {} this month.",
)
ITEMS = 64


YAML_CHARACTERS = 250_000


@dataclass(frozen=True)
class Heavy:
    """A heavy request.

    Attributes:
        name: of the route, `/v1/NAME`. what: what is in it. body: of `seed`, unlike that of any other.
        beside: the route of the small calls beside it; empty: the same. calls: so many are made at once.
    """

    name: str
    what: str
    body: Callable[[int], dict[str, Any]]
    beside: str = ""
    calls: int = 1

    @property
    def small(self) -> str:
        """The route of the small calls."""
        return self.beside or self.name


def small_bodies(first: int = 0) -> Iterator[dict[str, Any]]:
    """Turns that have to be rewritten, one a request."""
    for number in itertools.count(first):
        yield {"text": INDIRECT[number % len(INDIRECT)].format(number)}


SMALL: dict[str, Callable[[int], dict[str, Any]]] = {
    "slots": lambda number: {
        "text": f"Something cheap near {number}, please.",
        "slots": [{"name": "price", "description": "how dear it is", "values": ["cheap", "moderate", "expensive"]}],
    },
    "mind": lambda number: {"text": f"I loved Paper Lanterns (1999), all {number} minutes."},
    "intentions": lambda number: {"text": f"I could give {number} dollars."},
    "turns": lambda number: {"text": INDIRECT[number % len(INDIRECT)].format(number), "dialogue_id": f"beside-{number}"},
    "directness": lambda number: {"text": INDIRECT[number % len(INDIRECT)].format(number)},
    "meaning": lambda number: {
        "text": f"Is there a table for {number}?",
        "schema": {"intents": [{"name": "book_table"}, {"name": "cancel"}], "slots": {"people": None}},
    },
    "responses": lambda number: {
        "turns": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": f"I am {number}."}]
    },
    "schemas": lambda number: {"text": f"slots: {{size_{number}: null}}"},
}
"""Of each route a small request, unlike that of any other number."""


def _slots(seed: int) -> dict[str, Any]:
    def values(item: int, slot: int) -> list[str]:
        return [f"{seed:x}{item * 16 + slot:x}{value:x}" for value in range(64)]

    return {
        "items": [
            {
                "text": "Something cheap.",
                "slots": [{"name": f"s{slot}", "description": "d", "values": values(item, slot)} for slot in range(16)],
            }
            for item in range(ITEMS)
        ]
    }


def _dialogue(words: random.Random, turns: int, length: int) -> list[dict[str, str]]:
    """Turns that end with the user's, so many words each."""
    roles = ["user" if (turns - place) % 2 else "assistant" for place in range(turns)]
    return [{"role": role, "content": " ".join(words.choices(WORDS, k=length)) + "."} for role in roles]


def _mind(seed: int) -> dict[str, Any]:
    words = random.Random(seed)
    about = [f"{first.title()} {second.title()}" for first, second in itertools.pairwise(WORDS)]
    return {"items": [{"turns": _dialogue(words, 41, 44), "about": about} for _ in range(ITEMS)]}


def _intentions(seed: int) -> dict[str, Any]:
    words = random.Random(seed)
    return {"items": [{"turns": _dialogue(words, 101, 15)} for _ in range(ITEMS)]}


def _turns(seed: int) -> dict[str, Any]:
    words = random.Random(seed)
    return {"items": [{"text": " ".join(words.choices(WORDS, k=60))} for _ in range(ITEMS)]}


def _menu(seed: int) -> dict[str, Any]:
    words = random.Random(seed)
    intents = [
        {"name": f"intent_{number}", "examples": [f"{' '.join(words.choices(WORDS, k=3))} {example}" for example in range(48)]}
        for number in range(512)
    ]
    return {"text": "I have not eaten yet.", "schema": {"intents": intents}}


def _responses(seed: int) -> dict[str, Any]:
    words = random.Random(seed)
    return {"items": [{"turns": _dialogue(words, 42, 44)[:-1], "counted": False} for _ in range(ITEMS)]}


def _yaml(seed: int) -> dict[str, Any]:
    lines = (f"- {{name: i{number}, examples: [{', '.join(f'{seed:x}e{n}' for n in range(40))}]}}\n" for number in range(512))
    return {"text": f"intents:\n{''.join(lines)[:YAML_CHARACTERS].rpartition(chr(10))[0]}"}


def _dense_yaml(seed: int) -> dict[str, Any]:
    return {"text": f"intents: [{', '.join(f'{{name: {seed}a{number}}}' for number in range(500))}]"}


HEAVY = (
    Heavy("slots", "64 items, 16 slots of 64 values each", _slots),
    Heavy("mind", "64 items of 41 turns and 29 movies", _mind),
    Heavy("intentions", "64 items of 101 turns", _intentions),
    Heavy("turns", "64 items of 60 words", _turns),
    Heavy("turns", "an item with a menu of 512 intents and 24,576 examples", _menu),
    Heavy("meaning", "an item with a menu of 512 intents and 24,576 examples", _menu),
    Heavy("responses", "64 items of 41 turns", _responses),
    Heavy("schemas", "a menu of much YAML", _yaml),
    Heavy("schemas", "a menu of much YAML", _yaml, beside="turns"),
    Heavy("schemas", "45 menus of 500 intents in YAML at once", _dense_yaml, beside="turns", calls=45),
    Heavy("turns", "45 items, each with a menu of 512 intents and 24,576 examples", _menu, beside="directness", calls=45),
    Heavy("intentions", "64 items of 101 turns", _intentions, beside="turns"),
    Heavy("responses", "64 items of 41 turns", _responses, beside="turns"),
)


def encode_body(body: dict[str, Any]) -> bytes:
    """A body as it is sent."""
    return json.dumps(body).encode()
