"""The four things that the bot knows: by which slots each is searched, and how what is looked for is put into words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .slot_values import ANY


@dataclass(frozen=True)
class Topic:
    """One kind of thing.

    Attributes:
        table: where it is in the database.
        criteria: slot → column of what the user may ask for.
        asked: the slots that the bot asks for, in this order, while there are many results.
        words: words that name it.
    """

    table: str
    criteria: Mapping[str, str]
    asked: tuple[str, ...]
    words: frozenset[str]


TOPICS = {
    "restaurant": Topic(
        "restaurants",
        {"price_range": "price_range", "food": "food", "area": "area"},
        ("price_range", "area", "food"),
        frozenset(["restaurant", "restaurants", "eat", "dine", "dinner", "lunch"]),
    ),
    "hotel": Topic(
        "hotels",
        {
            "price_range": "price_range",
            "stars": "stars",
            "hotel_kind": "kind",
            "area": "area",
            "parking": "parking",
            "internet": "internet",
        },
        ("area", "price_range"),
        frozenset(["hotel", "hotels", "guesthouse", "stay", "sleep", "room", "accommodation", "lodging"]),
    ),
    "attraction": Topic(
        "attractions",
        {"attraction_kind": "kind", "area": "area"},
        ("attraction_kind", "area"),
        frozenset(["attraction", "attractions", "visit", "see", "museum", "theatre", "park"]),
    ),
    "train": Topic("trains", {}, (), frozenset(["train", "trains"])),
}

SIGNS = {"food": "restaurant", "stars": "hotel", "hotel_kind": "hotel", "parking": "hotel", "attraction_kind": "attraction"}
"""Entities that say what is looked for when the user does not."""


def named_in(text: str) -> set[str]:
    """The topics that a text names."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    return {name for name, topic in TOPICS.items() if words & topic.words}


def described(topic: str, wanted: Mapping[str, str | None]) -> str:
    """What is looked for in words: `cheap thai restaurants in the north`."""
    said = {slot: value for slot, value in wanted.items() if value and value != ANY}
    noun = said.get("hotel_kind") or said.get("attraction_kind") or topic
    before = [said[slot] for slot in ("price_range", "food") if slot in said]
    after = [text for slot, text in (("parking", "with parking"), ("internet", "with internet")) if said.get(slot) == "yes"]
    if "stars" in said:
        after.append(f"with {said['stars']} stars")
    if "area" in said:
        after.append(f"in the {said['area']}")
    return " ".join([*before, _plural(noun), *after])


def _plural(noun: str) -> str:
    if noun.endswith("y"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith("ch") else "s")
