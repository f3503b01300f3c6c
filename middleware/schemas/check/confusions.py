"""Intents that cannot be told apart by what they mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grice.middleware.schemas.check.completeness import in_words
from grice.middleware.schemas.check.finding import SchemaFinding
from grice.models.schema import BotSchema, IntentSpec

Vectors = NDArray[np.float32]


class Encodes(Protocol):
    """Meaning as vectors."""

    def encode(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, shape (texts, width), each of length 1."""
        ...


def find_confusions(schema: BotSchema, encoder: Encodes) -> list[SchemaFinding]:
    """Pairs of intents, the first with texts that lie nearer to the second; the pair with the most of them first.

    An intent's texts are its examples, or its description where it has none. Each is compared, by cosine, with the centre of the
    texts of each intent, of its own without the text itself. A text that is the only one of its intent is compared with the names
    of all intents, in words: nothing else of its own is left.
    """
    intents = [intent for intent in schema.intents if _texts(intent)]
    if len(intents) < 2:
        return []
    vectors = [encoder.encode(_texts(intent)) for intent in intents]
    centres = _unit(np.stack([each.mean(axis=0) for each in vectors]))
    names = encoder.encode([in_words(intent.name) for intent in intents])
    found: defaultdict[tuple[int, int], list[tuple[float, str]]] = defaultdict(list)
    for place, (intent, own) in enumerate(zip(intents, vectors, strict=True)):
        nearest, excess = _nearest(own, place, centres if len(own) > 1 else names)
        for text, other, much in zip(_texts(intent), nearest.tolist(), excess.tolist(), strict=True):
            if much > 0:
                found[place, other].append((much, text))
    ranked = sorted(found.items(), key=lambda pair: (-len(pair[1]), -max(pair[1])[0]))
    return [
        _finding(intents[place], intents[other], [text for _, text in sorted(shown, reverse=True)])
        for (place, other), shown in ranked
    ]


def _nearest(own: Vectors, place: int, centres: Vectors) -> tuple[NDArray[np.intp], Vectors]:
    """For each text of the intent at `place` the nearest other intent, and how much nearer that is than its own."""
    near = own @ centres.T
    near_own = np.sum(own * _unit(own.sum(axis=0) - own), axis=1) if len(own) > 1 else near[:, place].copy()
    near[:, place] = -np.inf
    return near.argmax(axis=1), near.max(axis=1) - near_own


def _texts(intent: IntentSpec) -> tuple[str, ...]:
    return intent.examples or ((intent.description,) if intent.description.strip() else ())


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit


def _finding(intent: IntentSpec, other: IntentSpec, texts: Sequence[str]) -> SchemaFinding:
    kind = "examples" if intent.examples else "description"
    count = f"{len(texts)} of {len(intent.examples)} examples lie" if intent.examples else "its description lies"
    message = f"{count} nearer to {other.name} than to {intent.name}; change the {kind}, or make the two one intent"
    return SchemaFinding("like-intents", (intent.name, other.name), message, tuple(texts))
