"""Compares values of closed classes: the parts of town and the price ranges.

A price range may be implied ("I have little money"), a part of town may not. Neither may contradict what the turn says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from grice.middleware.analysis import Finding
from grice.middleware.fact_words import AREAS, PRICE_RANGES

_WORD = re.compile(r"[^\W\d_]+|[.,;:?!]")
_AGAINST = frozenset(
    ("not", "t", "dont", "no", "too", "overly", "less", "than", "without", "never", "nothing", "neither", "nor", "other", "far", "away", "avoid")
)
_CLAUSE_ENDS = frozenset((*".,;:?!", "but", "just", "only", "instead"))


def added_choices(turn: str, history: Sequence[str], rewrite: str) -> Iterator[Finding]:
    """Parts of town and price ranges in the rewrite that contradict the turn, or parts of town that nobody mentioned."""
    yield from _added(AREAS, "name", turn, history, rewrite, implied=False)
    yield from _added(PRICE_RANGES, "price", turn, history, rewrite, implied=True)


def dropped_choices(turn: str, rewrite: str) -> Iterator[Finding]:
    """Parts of town and price ranges that the turn asks for and the rewrite lost."""
    for table, what in ((AREAS, "name"), (PRICE_RANGES, "price")):
        kept = set(_values(table, rewrite))
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
    for word in _WORD.findall(text.lower()):
        if word in _CLAUSE_ENDS:
            affirmed = True
        elif word in _AGAINST:
            affirmed = False
        elif word in table:
            found[table[word]] = found.get(table[word], False) or affirmed
    return found
