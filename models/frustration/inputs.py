"""What is read of a user's turn: its vector, its words, and how it and the bot's turn before it lie to what was said earlier."""

from __future__ import annotations

import itertools
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grice.models.dialogue import Turn, plain_text
from grice.models.runtime.heads import Floats, Slots
from grice.models.sentence_encoder.encoder import SentenceEncoder

SLOTS = 1 << 14
"""Hashed words."""
WINDOW = 8
"""Turns before the user's turn that are read."""
FEATURES = (
    "nearest own",
    "mean own",
    "last own",
    "bot",
    "bot to bot",
    "bot to own",
    "words of own",
    "words of bot",
)
"""Cosines of the turn with the user's earlier ones (nearest, mean, last) and with the bot's last; of the bot's last turn the
highest with its earlier ones, and with the user's; shares of the turn's words that the user said before, and the bot last."""

_PIECE = re.compile(r"[a-z']+|\d+|[?!.,…]")


@dataclass(frozen=True)
class FrustrationInputs:
    """What is read of a turn: `vector` (width,), `features` (as `FEATURES`), and how often each of `SLOTS` is taken by `words`."""

    vector: Floats
    features: Floats
    words: Slots


def read_inputs(encoder: SentenceEncoder, turns: Sequence[Turn]) -> FrustrationInputs | None:
    """What is read of the last of `turns`, the user's; None where it is not the user's, or the bot said nothing before it."""
    before = turns[-WINDOW - 1 : -1]
    if turns[-1].speaker != "user" or not any(turn.speaker == "bot" for turn in before):
        return None
    text, own = turns[-1].text, [turn.text for turn in before if turn.speaker == "user"]
    bots = [turn.text for turn in before if turn.speaker == "bot"]
    vectors = encoder.encode([text, *own, *bots])
    said, earlier, answers = vectors[0], vectors[1 : len(own) + 1], vectors[len(own) + 1 :]
    cosines, answer = (earlier @ said).tolist(), answers[-1]
    words = set(_words(text))
    features = [
        max(cosines, default=0.0),
        sum(cosines) / max(1, len(cosines)),
        cosines[-1] if cosines else 0.0,
        float(said @ answer),
        max((answers[:-1] @ answer).tolist(), default=0.0),
        max((earlier @ answer).tolist(), default=0.0),
        _share(words, itertools.chain.from_iterable(map(_words, own))),
        _share(words, _words(bots[-1])),
    ]
    return FrustrationInputs(said, np.array(features, np.float32), hashed_words(text))


def hashed_words(text: str) -> Slots:
    """How often the words of a text, and two in a row, take each slot; marks are words, and numbers are alike."""
    own = ["0" if word.isdigit() else word for word in _words(text)]
    pairs = [f"{one} {two}" for one, two in itertools.pairwise(["<", *own, ">"])]
    return Counter(zlib.crc32(term.encode()) % SLOTS for term in (*own, *pairs))


def _words(text: str) -> list[str]:
    return _PIECE.findall(plain_text(text).lower().replace("’", "'"))


def _share(words: set[str], others: itertools.chain[str] | Sequence[str]) -> float:
    return len(words & set(others)) / max(1, len(words))
