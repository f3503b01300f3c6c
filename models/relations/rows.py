"""Rows of facts as texts, and which of them a dialogue is about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from grice.models.errors import InputError
from grice.models.text.wording import Wording


def text_rows(rows: object, what: str = "facts") -> tuple[dict[str, str], ...]:
    """Rows as they are read: a text stays, a number is as JSON writes it, true is "yes", false is "no", a null field is left out.

    Args:
        rows: mappings of fields to values. what: their name in a message.

    Raises:
        InputError: they are no such rows; says which field is at fault.
    """
    if not isinstance(rows, (list, tuple)):
        raise InputError(what, rows, "a list of rows: fields to values")
    return tuple(_text_row(row, what) for row in rows)


def value_text(value: object) -> str | None:
    """A value of a row as it is read (`text_rows`); None where it has no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    return None


def _text_row(row: object, what: str) -> dict[str, str]:
    if not isinstance(row, Mapping):
        raise InputError(what, row, "a list of rows: fields to values")
    found: dict[str, str] = {}
    for name, value in row.items():
        text = value_text(value)
        if text is not None:
            found[str(name)] = text
        elif value is not None:
            raise InputError(f"{what}, {name}", value, "a text, a number, true, false or null")
    return found


def nearest_rows(rows: Sequence[Mapping[str, str]], text: str, most: int) -> list[Mapping[str, str]]:
    """At most `most` rows, in their order: those whose values share most words with `text`, rare words counting more."""
    return [rows[place] for place in nearest_places(rows, text, most)]


def nearest_places(rows: Sequence[Mapping[str, str]], text: str, most: int) -> list[int]:
    """The places of `nearest_rows`."""
    if len(rows) <= most:
        return list(range(len(rows)))
    said = set(Wording.of(text or "-").words)
    words = [{word for value in row.values() if value.strip() for word in Wording.of(value).words} for row in rows]
    known: dict[str, int] = {}
    for each in words:
        for word in each:
            known[word] = known.get(word, 0) + 1
    scores = [sum(1 / known[word] for word in each & said) for each in words]
    return sorted(sorted(range(len(rows)), key=lambda place: -scores[place])[:most])
