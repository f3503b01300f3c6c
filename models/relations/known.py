"""What of all that the bot should know is read beside a response: its last turns, and whatever else is nearest in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grice.models.relations.inputs import KnownSpan, RelationTokens, row_text
from grice.models.relations.results import RelationQuestion
from grice.models.relations.rows import nearest_places
from grice.models.relations.sentences import sentence_places

ALWAYS = 4
"""Turns before the response that are read whatever they say."""
MOST_ROWS = 6
LONG = 300
"""Characters from which on a turn or document is read sentence by sentence."""


class EncodesTexts(Protocol):
    """Texts to vectors of unit length."""

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """One vector each, (texts, width)."""
        ...


def spans_of(question: RelationQuestion) -> list[KnownSpan]:
    """All that the response can clash with: documents and policy in sentences, the nearest rows, the turns before it."""
    said = " ".join(turn.text for turn in question.dialogue.turns[-ALWAYS - 1 :])
    spans = [part for place, text in enumerate(question.documents) for part in _parts(KnownSpan("document", place, text))]
    rows = nearest_places(question.facts, said, MOST_ROWS)
    spans += [KnownSpan("fact", place, row_text(question.facts[place])) for place in rows if question.facts[place]]
    spans += [part for place, text in enumerate(question.policy) for part in _parts(KnownSpan("policy", place, text))]
    for place, turn in enumerate(question.dialogue.history):
        spans += _parts(KnownSpan("user" if turn.speaker == "user" else "bot", place, turn.text))
    return spans


def _parts(span: KnownSpan) -> list[KnownSpan]:
    if len(span.text) < LONG:
        return [span]
    found: list[KnownSpan] = []
    begin = 0
    places = sentence_places(span.text)
    for number, (_, end) in enumerate(places):
        last = number == len(places) - 1
        if last or places[number + 1][1] - places[begin][0] > LONG:
            start = places[begin][0]
            found.append(KnownSpan(span.kind, span.place, span.text[start:end], start, begin))
            begin = number + 1
    return found


def choose_spans(question: RelationQuestion, tokens: RelationTokens, encoder: EncodesTexts, most: int) -> list[KnownSpan]:
    """Those of `spans_of` that fit into `most` pieces, in order: the last turns, then the nearest to response and question."""
    spans = spans_of(question)
    sizes = [tokens.count(span.text) for span in spans]
    if sum(sizes) <= most:
        return spans
    first = len(question.dialogue.history) - ALWAYS
    fixed = [at for at, span in enumerate(spans) if span.kind in ("user", "bot") and span.place >= first]
    others = [at for at in range(len(spans)) if at not in set(fixed)]
    likeness = _likeness(question, [spans[at].text for at in others], encoder)
    ranked = [*reversed(fixed), *(others[at] for at in np.argsort(-likeness, kind="stable"))]
    chosen: list[int] = []
    left = most
    for at in ranked:
        if sizes[at] <= left:
            chosen.append(at)
            left -= sizes[at]
    return [spans[at] for at in sorted(chosen)]


def _likeness(question: RelationQuestion, texts: Sequence[str], encoder: EncodesTexts) -> NDArray[np.float32]:
    if not texts:
        return np.zeros(0, np.float32)
    asked = [turn.text for turn in question.dialogue.turns[-2:]]
    found: NDArray[np.float32] = (encoder.encode(texts) @ encoder.encode(asked).T).max(1)
    return found
