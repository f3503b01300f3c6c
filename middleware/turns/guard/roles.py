"""What is in a text, seventh part: what its numbers and places stand for. "At 5, for 3 people" is not "at 3, for 5 people"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from grice.models.text.fact_words import NUMBERS, UNITS, words
from grice.models.text.wording import FUNCTION_WORDS

_TOKEN = re.compile(r"\d+(?:[:.,/-]\w+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[^\w\s]")
_TIME = frozenset(words("at by after before until till around past"))
_AFTER_TIME = frozenset(words("am pm o'clock"))
_COUNTED = frozenset(words("for of"))
_BETWEEN = frozenset(words("number no nr about the is"))
"""They may stand between a number or a place and the word that says its part."""
_START = frozenset(words("from leaving departing"))
_END = frozenset(words("to towards into"))
_TURNS_AROUND = re.compile(
    r"\b(?:other way|opposite|revers\w*|swap\w*|switch\w*|exchang\w*|vice versa|wrong way|mix\w* up)\b", re.I
)

Roles = Mapping[str, frozenset[str]]


class Exchanged(NamedTuple):
    """A number or a place that has another's part, which has its own."""

    what: Literal["number", "name"]
    text: str


def exchanged_roles(before: str, after: str) -> Iterator[Exchanged]:
    """Those that play each other's part in text `after`: hour and head count, room and floor, start and goal.

    Both have to: a number that only has a new part says nothing, for it may be said in many ways. A text `before` that itself
    speaks of turning things around may be told so.
    """
    if _TURNS_AROUND.search(before):
        return
    given, told = _roles(before), _roles(after)
    for one, other in combinations(sorted(given.keys() & told.keys()), 2):
        mine, others = given[one] - given[other], given[other] - given[one]
        if mine & (told[other] - told[one]) and others & (told[one] - told[other]):
            for text in (one, other):
                yield Exchanged("number" if text.isdecimal() else "name", text)


def _roles(text: str) -> Roles:
    """Of each number, and of each word after "from" or "to", the parts that it plays."""
    tokens = _TOKEN.findall(text.lower().replace("’", "'"))
    found: dict[str, set[str]] = defaultdict(set)
    for place, token in enumerate(tokens):
        before, following = _before(tokens, place), tokens[place + 1] if place + 1 < len(tokens) else ""
        number = token if token.isdecimal() else str(NUMBERS[token]) if token in NUMBERS else ""
        if number:
            found[number].add(_role(before, following, tokens[place + 2] if place + 2 < len(tokens) else ""))
        elif _says_much(token):
            found[token].add(_direction(before))
    return {value: frozenset(roles - {""}) for value, roles in found.items() if roles != {""}}


def _before(tokens: Sequence[str], place: int) -> str:
    """The word before a place, without those that may stand between."""
    while place and tokens[place - 1] in _BETWEEN:
        place -= 1
    return tokens[place - 1] if place else ""


def _role(before: str, following: str, next_one: str) -> str:
    """Of a number: what is counted, the time, the direction, or the noun that it belongs to."""
    if following == "of" and next_one in ("us", "them"):
        return "people"
    if unit := UNITS.get(following):
        return "people" if unit == "others" else unit
    if before in _TIME or following in _AFTER_TIME:
        return "time"
    if _direction(before):
        return _direction(before)
    if _says_much(following):
        return following.removesuffix("s")
    if before in _COUNTED:
        return "people"
    return before.removesuffix("s") if _says_much(before) else ""


def _direction(before: str) -> str:
    return "start" if before in _START else "end" if before in _END else ""


def _says_much(word: str) -> bool:
    return word.isalpha() and len(word) > 2 and word not in FUNCTION_WORDS
