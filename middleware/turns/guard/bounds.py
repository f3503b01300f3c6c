"""What is in a text, fourth part: on which side of a time something shall be. "Not before 9" is not "by 9"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from grice.middleware.turns.guard.facts import find_facts

Side = Literal["latest", "earliest"]

_LONGEST_TIME = 24
"""In characters, from the word that says the side on."""
_BOUND = re.compile(
    r"(?P<denied>\b(?:not|no|never|nothing|cannot|\w+n['’]t)\s+(?:[\w'’]+\s+){0,3}?)?"
    r"\b(?P<word>by|before|until|till|after|from|since|later\s+than|earlier\s+than)\s+(?:about\s+|around\s+|like\s+)?(?=\w)",
    re.IGNORECASE,
)
_EARLIEST = frozenset(("after", "from", "since", "later than"))
_TURNED = frozenset(("before", "until", "till", "after", "later than", "earlier than"))
"""What a negation turns around: who cannot come by 9 may come at no time."""


@dataclass(frozen=True)
class TimeBound:
    """A time as a limit: the minutes of the day that it can mean, as it is written, and its side."""

    minutes: frozenset[int]
    text: str
    side: Side


def turned_bounds(before: str, after: str) -> Iterator[TimeBound]:
    """The limits of text `after` that text `before` has on the other side, and not on this one."""
    given = _bounds(before)
    for bound in _bounds(after):
        sides = {each.side for each in given if each.minutes & bound.minutes}
        if sides and bound.side not in sides:
            yield bound


def _bounds(text: str) -> Sequence[TimeBound]:
    return [bound for match in _BOUND.finditer(text) for bound in _at(text, match)]


def _at(text: str, match: re.Match[str]) -> Iterator[TimeBound]:
    word = " ".join(match["word"].lower().split())
    rest = text[match.end() : match.end() + _LONGEST_TIME]
    for fact in find_facts(f"by {rest}")[:1]:  # after "by" a bare number is a time
        minutes = frozenset(minute for kind, *values in fact.offers if kind == "time" for minute in _minutes(values))
        if minutes and rest.lower().startswith(fact.text.split()[0]):
            late = (word in _EARLIEST) != (match["denied"] is not None and word in _TURNED)
            yield TimeBound(minutes, f"{word} {fact.text}", "earliest" if late else "latest")


def _minutes(values: Sequence[object]) -> frozenset[int]:
    (found,) = values
    return frozenset(found) if isinstance(found, frozenset) else frozenset()
