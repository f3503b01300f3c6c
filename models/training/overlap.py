"""Runs of words that material to learn from shares with what is evaluated: none is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable

LENGTH = 5

_WORD = re.compile(r"[a-z0-9']+")


def runs_of(text: str, length: int = LENGTH) -> set[tuple[str, ...]]:
    """All runs of `length` words in a text, in lower case, without punctuation."""
    words = _WORD.findall(text.lower())
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def runs_of_all(texts: Iterable[str], length: int = LENGTH) -> set[tuple[str, ...]]:
    """The runs of all texts."""
    return set().union(*(runs_of(text, length) for text in texts))
