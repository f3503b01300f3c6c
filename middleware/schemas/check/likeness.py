"""Values of one slot that look alike: a user cannot mean one and not the other."""

from __future__ import annotations

from itertools import combinations

from grice.middleware.schemas.check.finding import SchemaFinding
from grice.models.schema import BotSchema

LONG = 5
"""Letters from which on a difference of one letter is more likely a slip than another value."""


def find_like_values(schema: BotSchema) -> list[SchemaFinding]:
    """Pairs of values that differ in case, space, marks between letters or one letter only."""
    message = "of slot {} look alike; keep one of them, or make both plainer"
    return [
        SchemaFinding("like-values", pair, message.format(slot.name))
        for slot in schema.slots
        for pair in combinations(slot.values, 2)
        if _look_alike(*map(_letters, pair))
    ]


def _letters(value: str) -> str:
    return (
        "".join(character for character in value.casefold() if character not in " -_.,'’") if any(map(str.isalpha, value)) else ""
    )


def _look_alike(one: str, other: str) -> bool:
    if not one or not other:
        return False
    return one == other or (min(len(one), len(other)) >= LONG and (one + other).isalpha() and _one_letter_apart(one, other))


def _one_letter_apart(one: str, other: str) -> bool:
    """Whether a letter more, less or another makes one of the other."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    return one[start + 1 :] == other[start + 1 :] or one[start:] == other[start + 1 :] or one[start + 1 :] == other[start:]
