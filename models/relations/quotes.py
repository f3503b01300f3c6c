"""From shares of pieces to the words that are quoted: the span with most of them, of it the sentence, of it the words.

What the whole response is about is told once (`grice.models.relations.pointing`). A label takes of that what such a fault can be
about: a response contradicts itself in what the bot said, and contradicts facts in what the bot was given.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from grice.models.dialogue import Turn
from grice.models.relations.inputs import ContextPieces, KnownSpan, ResponsePieces, SpanKind
from grice.models.relations.labels import LABELS, RelationLabel
from grice.models.relations.pointing import content_words
from grice.models.relations.results import QuotedKind, QuotedPair, QuotedSpan
from grice.models.relations.sentences import sentence_of, sentence_places
from grice.models.runtime.heads import Floats

KEPT = 0.25
"""Of the largest share of a sentence's pieces: others with less are not quoted at its edges."""


USER: tuple[SpanKind, ...] = ("user",)
GIVEN: tuple[SpanKind, ...] = ("document", "fact", "policy")
ABOUT: Mapping[RelationLabel, tuple[tuple[SpanKind, ...], ...]] = {
    **dict.fromkeys(LABELS, (USER,)),
    "!Sel": (("bot",),),
    "Red": (("bot", "user"),),
    "!Fac": (GIVEN, USER),
    "unsupported": (GIVEN, USER),
}
"""What a label is about: the first of these groups of kinds of which there is a span."""
ABOUT_LAST: tuple[RelationLabel, ...] = ("Ign", "unanswered")
"""Labels that are about the last of such turns, whatever the network points at."""


def spans_of(label: RelationLabel, spans: Sequence[KnownSpan]) -> list[int]:
    """The places among `spans` of those that a label can be about."""
    groups = ([at for at, span in enumerate(spans) if span.kind in kinds and span.place >= 0] for kinds in ABOUT[label])
    found = next(filter(None, groups), [])
    if label in ABOUT_LAST:
        return [at for at in found if spans[at].place == spans[found[-1]].place]
    return found


def span_shares(context: ContextPieces, shares: Floats, count: int) -> Floats:
    """Of each of `count` spans, the share of its pieces."""
    return np.bincount(np.array(context.owners), shares[: len(context.owners)], count).astype(np.float32)


def likeliest_span(labels: Mapping[RelationLabel, float], spans: Sequence[KnownSpan], shares: Floats) -> int | None:
    """The place of the span that a response clashes with, if it has one of the labels; None where they are about none.

    Args:
        labels: how likely the response has each. shares: how likely the response is about each span.
    """
    found = np.zeros(len(spans))
    for label, likely in labels.items():
        places = spans_of(label, spans)
        own = np.maximum(shares[places], np.finfo(np.float32).tiny)
        found[places] += likely * own / own.sum()
    return int(found.argmax()) if found.any() else None


def quote_context(spans: Sequence[KnownSpan], context: ContextPieces, shares: Floats, chosen: int) -> QuotedSpan:
    """The words of the span at the place `chosen` that a response is about."""
    span = spans[chosen]
    pieces = [
        (where, float(share))
        for owner, where, share in zip(context.owners, context.offsets, shares, strict=False)
        if owner == chosen and where[1] > where[0]
    ]
    found = _quote(span.kind, span.place, span.text, span.start, pieces)
    return replace(found, sentence=span.sentence + found.sentence)


def quote_response(text: str, place: int, response: ResponsePieces, shares: Floats) -> QuotedSpan:
    """The words of the response that are at fault."""
    pieces = [(where, float(share)) for where, share in zip(response.offsets, shares, strict=False) if where[1] > where[0]]
    return _quote("response", place, text, 0, pieces)


def quote_sentences(earlier: Turn, place: int, response: str, own: int) -> QuotedPair:
    """The sentences of an earlier turn and of a response that have most content words in common; all of both where none has any.

    Args:
        place, own: of the turn and of the response in their dialogue.
    """
    sides = [
        (number, *ends, content_words(earlier.text[slice(*ends)])) for number, ends in enumerate(sentence_places(earlier.text))
    ]
    others = [(number, *ends, content_words(response[slice(*ends)])) for number, ends in enumerate(sentence_places(response))]
    one, other = max(itertools.product(sides, others), key=lambda pair: len(pair[0][3] & pair[1][3]))
    if not one[3] & other[3]:
        one, other = (0, 0, len(earlier.text), frozenset()), (0, 0, len(response), frozenset())
    return QuotedPair(
        QuotedSpan(earlier.speaker, place, *one[:3], earlier.text[one[1] : one[2]]),
        QuotedSpan("response", own, *other[:3], response[other[1] : other[2]]),
    )


def _quote(kind: QuotedKind, place: int, text: str, offset: int, pieces: Sequence[tuple[tuple[int, int], float]]) -> QuotedSpan:
    """In the sentence with most, from the first to the last piece that has much."""
    sentences = sentence_places(text)
    sums = [sum(share for (start, end), share in pieces if start < last and end > first) for first, last in sentences]
    first, last = sentences[int(np.argmax(sums))]
    inside = [(where, share) for where, share in pieces if where[0] < last and where[1] > first]
    if not inside:
        return QuotedSpan(kind, place, sentence_of(text, first), offset + first, offset + last, text[first:last])
    most = max(share for _, share in inside)
    kept = [where for where, share in inside if share >= KEPT * most]
    start, end = _whole_words(text, min(where[0] for where in kept), max(where[1] for where in kept))
    return QuotedSpan(kind, place, sentence_of(text, start), offset + start, offset + end, text[start:end])


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end
