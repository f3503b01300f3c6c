"""Which words of a turn speak for a meaning: those whose states lie along its vector, without words that every turn has."""

from __future__ import annotations

import re

import numpy as np

from grice.models.meaning.results import Evidence
from grice.models.meaning.scores import MeaningScores
from grice.models.text.wording import FUNCTION_WORDS

MOST_WORDS = 3

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_SHORT_FORM = re.compile(r"'(?:s|m|d|re|ve|ll)$")
_TELLING = frozenset(("yes", "no", "not", "how", "when", "where", "who", "why", "more"))
_MORE = (
    *("been", "being", "down", "here", "him", "into", "may", "might", "must", "now", "off", "onto", "out", "over", "shall"),
    *("should", "so", "than", "them", "then", "up", "us"),
)
_EMPTY = FUNCTION_WORDS.union(_MORE) - _TELLING
"""Words that are shown only where a turn has no others."""


def find_evidence(text: str, scores: MeaningScores, place: int) -> tuple[Evidence, ...]:
    """The words of a turn that add most to its likeness to the option at a place, the strongest first.

    Args:
        text: of the turn, whose scores they are.
    """
    pieces = scores.pieces
    states = scores.states[pieces.start : pieces.start + len(pieces.offsets)]
    gains = np.maximum(states @ scores.vectors[place], 0)
    words = {found.span(): 0.0 for found in _WORD.finditer(text)}
    for (start, end), gain in zip(pieces.offsets, gains, strict=True):
        for span in words:
            if start < span[1] and end > span[0]:
                words[span] = max(words[span], float(gain))
    kept = {span: gain for span, gain in words.items() if not is_empty(text[slice(*span)])} or words
    total = sum(kept.values()) or 1.0
    best = sorted(kept.items(), key=lambda item: -item[1])[:MOST_WORDS]
    return tuple(Evidence(start, end, text[start:end], gain / total) for (start, end), gain in best)


def is_empty(word: str) -> bool:
    """Whether every turn may have the word, such as "and", "my" or "I've"; "no" and "don't" are none of these."""
    plain = word.lower().replace("’", "'")
    return plain in _EMPTY or _SHORT_FORM.sub("", plain) in _EMPTY
