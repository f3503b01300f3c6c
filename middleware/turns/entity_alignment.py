"""Entities that an NLU found in a rewritten turn, moved to where the turn as the user wrote it supports them.

Whoever slices the user's text by an entity's offsets must never get something else or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grice.middleware.turns.guard.facts import find_facts, offered, squashed
from grice.middleware.turns.guard.words import same_word, unaccented
from grice.models.text import fact_words

Span = tuple[int, int]

IMPLIED = "implied"
"""Set to True on an entity that nothing in the original spells out; it spans the whole original then."""

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SAME_VALUE: Mapping[str, str] = {
    **fact_words.AREAS,
    **fact_words.PRICE_RANGES,
    **fact_words.DAYS,
    **fact_words.MONTHS,
    **{word: str(number) for word, number in fact_words.NUMBERS.items()},
}


def align_entities(entities: Sequence[Mapping[str, Any]], original: str, text: str) -> list[dict[str, Any]]:
    """`entities` with every start and end within `original`.

    Where `text` goes on after the original (mode `append`), an entity inside the original stays, one that crosses its end is cut
    there, and one after it is dropped if the user gave a value of the same entity, role and group. Any other is moved to the span
    of the original that says the same in the same words, another form of them, or digits for number words; if there is none, it
    spans the whole original and is marked `implied`. Entities that are aligned already stay as they are.

    Args:
        entities: as Rasa writes them: entity, start, end, value, and maybe role, group and more, which is kept.
        original: what the user wrote.
        text: what the NLU read, made of `original` by the pipeline.
    """
    shared = _shared_length(original, text)
    given = {_key(entity) for entity in entities if (span := _span(entity, text)) and span[0] < shared}
    taken: list[Span] = [span for entity in entities if (span := _span(entity, text)) and span[1] <= shared]
    aligned: list[dict[str, Any]] = []
    seen: set[tuple[str, ...]] = set()
    for entity in entities:
        span = _span(entity, text)
        if entity.get(IMPLIED) is True:
            aligned.append(_implied(entity, original))
        elif span and span[1] <= shared:
            aligned.append(dict(entity))
        elif span and span[0] < shared:
            aligned.append(_cut(entity, span, original[:shared], text))
        elif not shared or (_key(entity) not in given and (*_key(entity), _value(entity)) not in seen):
            seen.add((*_key(entity), _value(entity)))
            aligned.append(_moved(entity, span, original, text, taken))
    return aligned


def _shared_length(original: str, text: str) -> int:
    """How many characters of `text` are the original; 0 where it does not begin with it."""
    stem = original.rstrip()
    goes_on = text[len(stem) : len(stem) + 1]
    return len(stem) if text.startswith(stem) and not goes_on.isalnum() else 0


def _span(entity: Mapping[str, Any], text: str) -> Span | None:
    start, end = entity.get("start"), entity.get("end")
    if type(start) is int and type(end) is int and 0 <= start < end <= len(text):
        return start, end
    return None


def _key(entity: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(entity.get("entity")), str(entity.get("role")), str(entity.get("group"))


def _value(entity: Mapping[str, Any]) -> str:
    return str(entity.get("value")).casefold()


def _cut(entity: Mapping[str, Any], span: Span, original: str, text: str) -> dict[str, Any]:
    start, end = span[0], len(original)
    value = {"value": original[start:end]} if entity.get("value") == text[slice(*span)] else {}
    return {**entity, "end": end, **value}


def _moved(entity: Mapping[str, Any], span: Span | None, original: str, text: str, taken: list[Span]) -> dict[str, Any]:
    """The entity at the first span that supports it, one that no other entity has if there is such."""
    value = entity.get("value")
    said = [str(value)] if isinstance(value, (str, int, float)) else []
    said += [text[slice(*span)]] if span else []
    for wanted in said:
        spans = list(_supporting_spans(wanted, original))
        if spans:
            chosen = next((free for free in spans if free not in taken), spans[0])
            taken.append(chosen)
            return {**entity, "start": chosen[0], "end": chosen[1]}
    return _implied(entity, original)


def _implied(entity: Mapping[str, Any], original: str) -> dict[str, Any]:
    return {**entity, "start": 0, "end": len(original), IMPLIED: True}


def _supporting_spans(wanted: str, original: str) -> Iterator[Span]:
    """Where `original` says `wanted`, the closest forms first."""
    if not _WORD.search(wanted):
        if wanted.strip():
            yield from (match.span() for match in re.finditer(re.escape(wanted.strip()), original))
        return
    words = [(_folded(match.group()), match.span()) for match in _WORD.finditer(original)]
    wanted_words = [_folded(word) for word in _WORD.findall(wanted)]
    for same in (str.__eq__, _same):
        for first in range(len(words) - len(wanted_words) + 1):
            run = words[first : first + len(wanted_words)]
            if all(same(word, said) for word, (said, _) in zip(wanted_words, run, strict=True)):
                yield run[0][1][0], run[-1][1][1]
    yield from _fact_spans(wanted, original)


def _folded(word: str) -> str:
    return unaccented(word).casefold()


def _same(one: str, other: str) -> bool:
    return _SAME_VALUE.get(one, one) == _SAME_VALUE.get(other, other) or same_word(one, other)


def _fact_spans(wanted: str, original: str) -> Iterator[Span]:
    """Where `original` states the fact that `wanted` is, in any spelling: "5 p.m." for "17:00", "twenty-five" for "25"."""
    facts = find_facts(wanted)
    if len(facts) != 1 or squashed(facts[0].text) != squashed(wanted):
        return
    keys = facts[0].needs or facts[0].offers
    for fact in find_facts(original):
        if not keys.isdisjoint(offered([fact])):
            yield from _places(fact.text, original)


def _places(fact: str, original: str) -> Iterator[Span]:
    tokens = [re.sub(r"([ap])m$", r"\\s?\1\\.?\\s?m", re.escape(token)) for token in _TOKEN.findall(fact)]
    pattern = r"(?<!\w)" + r"[\s'’-]*".join(tokens) + r"(?!\w)"
    yield from (match.span() for match in re.finditer(pattern, original, re.IGNORECASE))
