"""Finds the annotated entities of an example again in a variant of it.

An entity's words must stand together in the variant; spacing, hyphens and capitals may differ ("7pm", "7 PM"). Where the example
has the same words more than once ("2 nights for 2 people"), the words beside them decide; where these do not, the entity counts as
lost. So does one whose words the variant has more often than the example: an extractor would learn that the others are no entity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grice.middleware.authoring.augment.example import letters
from grice.middleware.schemas.rasa.annotation import Entity
from grice.middleware.turns.entity_alignment import Span

_WORD = re.compile(r"[^\W_]+")


def transferred(entities: Sequence[Entity], text: str, variant: str) -> list[Entity | None]:
    """The entities of `text` at their places in `variant`, in order; None for one that is not there."""
    spans = sorted({(entity.start, entity.end) for entity in entities})
    places = _places(spans, text, variant)
    return [entity.at(*place) if (place := places[entity.start, entity.end]) else None for entity in entities]


def _places(spans: Sequence[Span], text: str, variant: str) -> dict[Span, Span | None]:
    found = {span: _occurrences(letters(text[slice(*span)]), variant) for span in spans}
    alike = {span: _occurrences(letters(text[slice(*span)]), text) for span in spans}
    places: dict[Span, Span | None] = {}
    for span in spans:
        if len(found[span]) > len(alike[span]):
            places[span] = None
        elif len(alike[span]) == 1 and found[span]:
            places[span] = found[span][0]
        else:
            places[span] = _beside_the_same(span, text, found[span], variant)
    taken = [place for place in places.values() if place]
    return {span: None if place is None or _overlaps(place, taken) else place for span, place in places.items()}


def _overlaps(place: Span, taken: Sequence[Span]) -> bool:
    return sum(place[0] < end and start < place[1] for start, end in taken) > 1


def _occurrences(wanted: str, text: str) -> list[Span]:
    """Where whole words of `text` together have the letters and digits `wanted`."""
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    found = []
    for first, (start, _) in enumerate(words):
        joined = ""
        for _, end in words[first:]:
            joined = letters(text[start:end])
            if not wanted.startswith(joined) or joined == wanted:
                break
        if joined and joined == wanted:
            found.append((start, end))
    return found


def _beside_the_same(span: Span, text: str, candidates: Sequence[Span], variant: str) -> Span | None:
    """The candidate whose neighbours are those of `span`, the word after it ("2 nights") before the word in front of it.

    None where none or several are.
    """
    before, after = _neighbours(span, text)
    scores = [2 * (after == other[1] != "") + (before == other[0] != "") for other in (_neighbours(c, variant) for c in candidates)]
    best = max(scores, default=0)
    return candidates[scores.index(best)] if best and scores.count(best) == 1 else None


def _neighbours(span: Span, text: str) -> tuple[str, str]:
    before, after = _WORD.findall(text[: span[0]].casefold()), _WORD.findall(text[span[1] :].casefold())
    return before[-1] if before else "", after[0] if after else ""
