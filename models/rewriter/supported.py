"""Which tokens a rewrite may use, so that it cannot bring in a number, a day, a part of town or a name by itself.

A token that states no fact (a common word, punctuation) is always open. Any other (digits, number words, days, months, parts of
town, words that may be names) is open only where the turn or the history that the model reads has it, and a piece inside a word
only after a piece that it follows there: names are copied whole or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from grice.models.runtime.heads import Floats
from grice.models.text import fact_words

Ids = NDArray[np.int64]

_FACTS = (
    {*fact_words.NUMBERS, *fact_words.ORDINALS, *fact_words.DAYS, *fact_words.MONTHS, *fact_words.RELATIVE_DAYS, *fact_words.AREAS}
    | {*fact_words.TIMES_OF_DAY, *fact_words.SCALES}
) - {"one", "may", "second", "first", "a", "sun", "sat", "mon", "wed", "march"}
"""Words that state a fact. What is taken out also means something else; the guard looks at those in context."""


class SupportedTokens:
    """Knows which tokens of a vocabulary state no fact."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        common = set(resources.files("grice.models.text").joinpath("common_words.txt").read_text(encoding="utf-8").split())
        size = tokenizer.get_vocab_size()
        self._penalty, self._inner = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=bool)
        for piece, number in tokenizer.get_vocab().items():
            states_nothing = piece in common or not any(map(str.isalnum, piece)) or (len(piece) == 1 and piece.isalpha())
            if not (piece.startswith("[") or (states_nothing and piece not in _FACTS)):
                self._penalty[number] = -np.inf
            self._inner[number] = piece.startswith("##")

    def of(self, sources: Sequence[Sequence[int]]) -> Support:
        """What each source (token ids) supports."""
        penalties = np.repeat(self._penalty[None, :], len(sources), axis=0)
        followers: list[dict[int, list[int]]] = []
        for penalty, source in zip(penalties, sources, strict=True):
            ids = np.array(source)
            penalty[ids[~self._inner[ids]]] = 0.0
            inner: dict[int, list[int]] = {}
            for before, piece in pairwise(source):
                if self._inner[piece]:
                    inner.setdefault(before, []).append(piece)
            followers.append(inner)
        return Support(penalties, followers)


class Support:
    """The tokens that some sources support.

    Args:
        penalties: (sources, vocabulary), 0 for open tokens and minus infinity for closed ones; pieces inside a word are all closed.
        followers: for each source the pieces inside a word by the token before them.
    """

    def __init__(self, penalties: Floats, followers: Sequence[dict[int, list[int]]]) -> None:
        self._penalties = penalties
        self._followers = followers

    def restrict(self, log_probs: Floats, rows: Ids, last: Ids) -> Floats:
        """`log_probs` (rows, vocabulary) with minus infinity for tokens that may not come next.

        Args:
            rows: the source of each row. last: the token before.
        """
        allowed: Floats = log_probs + self._penalties[rows]
        for place, (row, token) in enumerate(zip(rows.tolist(), last.tolist(), strict=True)):
            if token in self._followers[row]:
                pieces = self._followers[row][token]
                allowed[place, pieces] = log_probs[place, pieces]
        return allowed
