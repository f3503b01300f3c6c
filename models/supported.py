"""Which tokens a rewrite may use, so that it cannot bring in a number, a day, a part of town or a name by itself.

A token that states no fact (a common word, punctuation) is always open. Any other (digits, number words, days, months, parts of
town, words that may be names, pieces of words) is open only where the turn or the history that the model reads has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from grice.models import fact_words

Mask = NDArray[np.bool_]

_FACTS = (
    {*fact_words.NUMBERS, *fact_words.ORDINALS, *fact_words.DAYS, *fact_words.MONTHS, *fact_words.RELATIVE_DAYS, *fact_words.AREAS}
    | {*fact_words.TIMES_OF_DAY, *fact_words.SCALES}
) - {"one", "may", "second", "first", "a", "sun", "sat", "mon", "wed", "march"}
"""Words that state a fact. What is taken out also means something else; the guard looks at those in context."""


class SupportedTokens:
    """Knows for a source which tokens of a vocabulary are closed."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        pieces = tokenizer.get_vocab()
        common = set(resources.files("grice.models").joinpath("common_words.txt").read_text(encoding="utf-8").split())
        self._open = np.zeros(tokenizer.get_vocab_size(), dtype=bool)
        for piece, number in pieces.items():
            states_nothing = piece in common or not any(map(str.isalnum, piece)) or (len(piece) == 1 and piece.isalpha())
            self._open[number] = piece.startswith("[") or (states_nothing and piece not in _FACTS)

    def closed(self, sources: Sequence[Sequence[int]]) -> Mask:
        """For each source (token ids) the tokens it does not support: (sources, vocabulary), True where closed."""
        closed = np.repeat(~self._open[None, :], len(sources), axis=0)
        for row, source in enumerate(sources):
            closed[row, list(source)] = False
        return closed
