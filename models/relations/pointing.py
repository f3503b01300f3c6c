"""What a fault is about, of all that was said and given: where the network points, and which words stand on both sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grice.models.relations.inputs import KnownSpan
from grice.models.relations.sentences import sentence_places
from grice.models.runtime.heads import Floats
from grice.models.text.wording import Wording

POINTED_BY = ("share", "words", "asked")
"""What it follows from that a response is about a span; `describe_spans` says what each is."""
LEAST_SHARE = 1e-6


def describe_spans(spans: Sequence[KnownSpan], response: str, shares: Floats) -> Floats:
    """The numbers of `POINTED_BY`, shape (spans, 3).

    The log of the share that the network gives a span; the part of the response's content words that it has; and where the
    response asks something and the span answers the bot, the part of the question's content words that the bot's turn before it
    has: there was answered what is asked again.

    Args:
        shares: of each span (`grice.models.relations.quotes.span_shares`).
    """
    whole = content_words(response)
    sentences = [response[start:end] for start, end in sentence_places(response)]
    asked = frozenset[str]().union(*(content_words(each) for each in sentences if each.rstrip().endswith("?")))
    said = {span.place: span.text for span in spans if span.kind == "bot"}
    words = [_part(whole, span.text) for span in spans]
    answered = [_part(asked, said.get(span.place - 1, "")) if span.kind == "user" else 0.0 for span in spans]
    found: Floats = np.stack([np.log(np.maximum(shares, LEAST_SHARE)), words, answered], 1).astype(np.float32)
    return found


def content_words(text: str) -> frozenset[str]:
    """The words of a text that are no function words."""
    return Wording.of(text).content if text.strip() else frozenset()


def _part(wanted: frozenset[str], text: str) -> float:
    """Of some words, the part that a text has."""
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0
