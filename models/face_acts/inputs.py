"""What the detector of face acts reads of each turn of a dialogue: the vector, features and hashed words."""

from __future__ import annotations

import itertools
import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import plain_text
from grice.models.results import PersuasionRole
from grice.models.runtime.heads import Floats, Slots
from grice.models.sentence_encoder.encoder import SentenceEncoder

SLOTS = 1 << 15
"""Hashed words."""

RoleText = tuple[PersuasionRole, str]

_PIECE = re.compile(r"[a-z']+|\d+|[?!.,$]")
_ASKED = tuple(
    re.compile(pattern)
    for pattern in (
        r"\?",
        r"!",
        r"\$|\bcents?\b|\bdollars?\b",
        r"\d",
        r"%",
        r"\bsorry\b|\bapolog",
        r"\b(?:no|not|never|cannot)\b|n'?t\b",
        r"\bthank",
        r"\b(?:please|would|could|may|mind)\b",
        r"\b(?:i|my|me|i'?m)\b",
        r"\b(?:you|your)\b",
        r"\b(?:they|them|their)\b",
    )
)
"""What is asked of each text, yes or no."""
BEFORE = 2
"""Turns before a turn that its features tell of."""


@dataclass(frozen=True)
class FaceInputs:
    """What is read of a dialogue.

    Attributes:
        roles: who says each turn.
        turns: of each turn the vector, the vector again if it is the persuadee's (otherwise zero), and features; shape (turns,
            2 × width + features).
        words: how often each of `SLOTS` is taken, by turn.
    """

    roles: tuple[PersuasionRole, ...]
    turns: Floats
    words: tuple[Slots, ...]

    @property
    def persuadees(self) -> NDArray[np.int64]:
        """1 where the persuadee speaks, 0 where the persuader does; shape (turns,)."""
        return np.array([role == "persuadee" for role in self.roles], np.int64)


def read_inputs(encoder: SentenceEncoder, said: Sequence[RoleText], left_out: int = 0) -> FaceInputs:
    """What is read of turns, oldest first; `left_out` came before them."""
    plain = [(role, plain_text(text).lower().replace("’", "'")) for role, text in said]
    features = np.array([_features(plain, place, left_out) for place in range(len(plain))], np.float32)
    vectors = encoder.encode([text for _, text in said])
    words = tuple(_words(plain, place) for place in range(len(plain)))
    turns = np.concatenate([vectors, vectors * features[:, :1], features], axis=1)
    return FaceInputs(tuple(role for role, _ in said), turns, words)


def _features(said: Sequence[RoleText], place: int, left_out: int) -> list[float]:
    role, text = said[place]
    in_a_row = sum(1 for _ in itertools.takewhile(lambda each: each[0] == role, reversed(said[:place])))
    number = place + left_out
    found = [role == "persuadee", min(in_a_row, 4), in_a_row == 0, min(number, 60) / 30, min(number, 5) / 5, _length(text)]
    found += [bool(pattern.search(text)) for pattern in _ASKED]
    for back in range(1, BEFORE + 1):
        if back > place:
            found += [0.0] * 5
            continue
        who, before = said[place - back]
        found += [1.0, who == role, "?" in before, "!" in before, _length(before)]
    return [float(value) for value in found]


def _length(text: str) -> float:
    return math.log1p(len(text.split()))


def _words(said: Sequence[RoleText], place: int) -> Slots:
    """Up to three words in a row, those of one and two also by role; the words of the turn before and of the other's last turn."""
    role, text = said[place]
    own = [_piece(word) for word in _PIECE.findall(text)]
    pairs = [f"{one} {two}" for one, two in itertools.pairwise(["<", *own, ">"])]
    terms = [*own, *pairs, *(" ".join(three) for three in zip(own, own[1:], own[2:], strict=False))]
    terms += [f"{role}:{term}" for term in (*own, *pairs)]
    if place:
        before_role, before = said[place - 1]
        terms += [f"before {before_role}:{_piece(word)}" for word in _PIECE.findall(before)]
    other = next((text for who, text in reversed(said[:place]) if who != role), "")
    terms += [f"other:{_piece(word)}" for word in _PIECE.findall(other)]
    return Counter(zlib.crc32(term.encode()) % SLOTS for term in (f"{role}", *terms))


def _piece(word: str) -> str:
    return "0" if word.isdigit() else word
