"""Which rows a dialogue is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grice.models.text.wording import Wording


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
