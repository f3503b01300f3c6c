"""Compares values of closed classes: the parts of town and the price ranges.

A price range may be implied ("I have little money"), a part of town may not. Neither may contradict what the turn says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from grice.middleware.turns.analysis import Finding
from grice.models.text.fact_words import AREAS, PRICE_RANGES, words

_WORD = re.compile(r"[^\W\d_]+|[.,;:?!]")
_MIDDLE_OF_TOWN = re.compile(r"\b(?:middle|heart)\s+of\s+(?:the\s+|your\s+)?(?:town|city|cent)\w*")
_CUISINE_OR_TIME = re.compile(
    r"\b(?:(?:middle|mid|far|north|south|east)[\s-]+east(?:ern)?|(?:north|south|east|west)(?:ern)?\s+(?:europ|americ|afric|india|asia)\w*)"
)
_WORTH_A_LOOK = frozenset({"middle", "heart", *AREAS, *PRICE_RANGES})
_REFUSED = re.compile(
    r"(?:\bnot|n['’]t|\bno|\bnothing)\s+(?:(?:want|like|need|go|to|in|on|an?|the|too|very|so|anything|something|overly)\s+){0,5}"
    rf"({'|'.join((*AREAS, *PRICE_RANGES))})\b"
)
_AGAINST = frozenset(words("not t dont no too overly less than without never nothing neither nor other far away avoid"))
_CLAUSE_ENDS = frozenset((*".,;:?!", "but", "just", "only", "instead"))


def added_choices(turn: str, history: Sequence[str], rewrite: str) -> Iterator[Finding]:
    """Parts of town and price ranges in the rewrite that contradict the turn, or parts of town that nobody mentioned."""
    for match in _CUISINE_OR_TIME.finditer(rewrite.lower()):
        if not any(match.group() in text.lower() for text in (turn, *history)):
            yield Finding("added", "name", match.group())
    yield from _added(AREAS, "name", turn, history, rewrite, implied=False)
    yield from _added(PRICE_RANGES, "price", turn, history, rewrite, implied=True)


def dropped_choices(turn: str, rewrite: str) -> Iterator[Finding]:
    """Parts of town and price ranges that the turn asks for and the rewrite lost."""
    yield from _dropped(AREAS, "name", turn, rewrite)
    yield from _dropped(PRICE_RANGES, "price", turn, rewrite)


def turned_choices(turn: str, rewrite: str) -> Iterator[Finding]:
    """Parts of town and price ranges that one of the two wants and the other plainly does not."""
    refused = [match.group(1) for match in _REFUSED.finditer(turn.lower())]
    for table in (AREAS, PRICE_RANGES):
        given = _values(table, turn)
        unwanted = {table[word] for word in refused if word in table}
        for value, affirmed in _values(table, rewrite).items():
            if (affirmed and value in unwanted) or (not affirmed and given.get(value)):
                yield Finding("negation", "negation", value)


def _dropped(table: Mapping[str, str], what: Literal["name", "price"], turn: str, rewrite: str) -> Iterator[Finding]:
    kept = _values(table, rewrite)
    for value, affirmed in _values(table, turn).items():
        if affirmed and value not in kept:
            yield Finding("dropped", what, value)


def _added(
    table: Mapping[str, str], what: Literal["name", "price"], turn: str, history: Sequence[str], rewrite: str, implied: bool
) -> Iterator[Finding]:
    given = _values(table, turn)
    contradicted = any(given.values())
    for value in _values(table, rewrite):
        if value in given:
            continue
        if contradicted or not (implied or any(value in _values(table, text) for text in history)):
            yield Finding("added", what, value)


def _values(table: Mapping[str, str], text: str) -> dict[str, bool]:
    """The values in `text`, each with whether it is affirmed ("not too expensive" is not)."""
    found: dict[str, bool] = {}
    affirmed = True
    said = _WORD.findall(text.lower())
    if not _WORTH_A_LOOK.isdisjoint(said):
        said = _WORD.findall(_CUISINE_OR_TIME.sub("", _MIDDLE_OF_TOWN.sub("centre", text.lower())))
    for word in said:
        if word in _CLAUSE_ENDS:
            affirmed = True
        elif word in _AGAINST:
            affirmed = False
        elif word in table:
            found[table[word]] = found.get(table[word], False) or affirmed
    return found
