"""Where the sentences of a text begin and end."""

from __future__ import annotations

import re

_END = re.compile(r"[.!?]+[\"')\]]*(?=\s)|\n+")
_HAS_WORD = re.compile(r"\w")


def sentence_places(text: str) -> list[tuple[int, int]]:
    """Start and end, in characters, of each sentence; at least one. White space between them belongs to none."""
    found: list[tuple[int, int]] = []
    start = 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        part = text[start:end]
        if _HAS_WORD.search(part):
            found.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
            start = end
    return found or [(0, len(text))]


def sentence_of(text: str, place: int) -> int:
    """Which sentence the character at `place` is in, from 0."""
    return max((number for number, (start, _) in enumerate(sentence_places(text)) if start <= place), default=0)
