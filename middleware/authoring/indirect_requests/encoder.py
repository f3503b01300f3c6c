"""What turns texts into vectors of meaning, and other words for a value by them: a thesaurus that needs no data beside the list of
common words. It knows one sense of a word, the usual one: for a checking account it offers "verify".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grice.middleware.turns.guard.words import common_words
from grice.models.text.fact_words import NUMBERS
from grice.models.text.verbatim import says


class Encoder(Protocol):
    """Texts of like meaning get vectors with a cosine near 1, such as those of `SentenceEncoder`."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length 1, shape (texts, width)."""
        ...


def cosines(encoder: Encoder, text: str, others: Sequence[str]) -> list[float]:
    """How near `text` is to each of `others`, -1 to 1."""
    vector, *vectors = encoder.encode([text, *others])
    return [float(vector @ other) for other in vectors]


NEAR = 0.7
"""The least cosine of a value and a word for it."""
MARGIN = 0.03
"""A word must be nearer to its value than to any other by at least this; opposites are near each other too."""
MOST = 3
_STEM = 4


class Thesaurus:
    """Finds common words that mean about what a value says.

    Args:
        encoder: meaning as a vector.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._words = [word for word in sorted(common_words()) if len(word) >= _STEM and word not in NUMBERS]
        self._vectors = encoder.encode(self._words)
        self._encoder = encoder

    def words_for(self, value: str, others: Sequence[str]) -> list[str]:
        """At most `MOST` words, the nearest first, nearer to `value` than to `others` and no form of any of them."""
        if any(map(str.isdigit, value)):  # all numbers are near each other
            return []
        wanted, *rest = self._encoder.encode([value, *others])
        near = self._vectors @ wanted
        margin = near - np.max(self._vectors @ np.stack(rest).T, axis=1)
        order = np.argsort(-near, kind="stable").tolist()
        good = [place for place in order if near[place] >= NEAR and margin[place] >= MARGIN]
        return [self._words[place] for place in good if not _is_form(self._words[place], (value, *others))][:MOST]


def _is_form(word: str, values: Sequence[str]) -> bool:
    """Whether a word is said in a value, or begins as one of its words does."""
    starts = {part[:_STEM] for value in values for part in value.casefold().split()}
    return word[:_STEM] in starts or any(says(value, word) for value in values)
