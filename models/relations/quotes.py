"""From shares of pieces to the words that are quoted: the span with most of them, of it the sentence, of it the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grice.models.relations.inputs import ContextPieces, KnownSpan, ResponsePieces
from grice.models.relations.results import QuotedKind, QuotedSpan
from grice.models.relations.sentences import sentence_of, sentence_places
from grice.models.runtime.heads import Floats

KEPT = 0.25
"""Of the largest share of a sentence's pieces: others with less are not quoted at its edges."""


def likeliest_span(context: ContextPieces, shares: Floats, count: int) -> int:
    """The place among `count` spans of the one whose pieces have most of the shares."""
    return int(np.bincount(np.array(context.owners), shares[: len(context.owners)], count).argmax())


def quote_context(spans: Sequence[KnownSpan], context: ContextPieces, shares: Floats) -> QuotedSpan:
    """The words of the context that a response is about."""
    chosen = likeliest_span(context, shares, len(spans))
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
