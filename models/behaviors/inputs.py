"""What the behaviour monitor reads of a dialogue: vectors, features and hashed words of the response and the turns before it."""

from __future__ import annotations

import functools
import itertools
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grice.models.behaviors.features import EncodedText, Nearest, features
from grice.models.dialogue import Dialogue, Speaker, plain_text
from grice.models.runtime.heads import Slots
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.text.wording import Wording, sentences

HISTORY_TURNS = 40
SENTENCES = 8
SLOTS = 1 << 14
"""Hashed words of a response; those of the turn before it have a quarter of it behind them."""

_PIECE = re.compile(r"[a-z']+|[?!.,]")

_wording = functools.lru_cache(maxsize=8192)(Wording.of)


@dataclass(frozen=True)
class BehaviorInputs:
    """What is read of one response.

    Attributes:
        response, last: vectors of the response and of the turn before it, shape (width,); zero where there is none before it.
        features: shape (k,), see `behavior_features`.
        words: how often each slot of `SLOTS` and a quarter is taken by words and pairs of words.
        nearest: by speaker, the earlier turn that comes nearest; its place is that in `Dialogue.turns`.
    """

    response: NDArray[np.float32]
    last: NDArray[np.float32]
    features: NDArray[np.float32]
    words: Slots
    nearest: Mapping[Speaker, Nearest]


def read_inputs(encoder: SentenceEncoder, dialogue: Dialogue) -> BehaviorInputs:
    """What is read of the last turn of `dialogue`, with at most `HISTORY_TURNS` before it."""
    history = dialogue.history[-HISTORY_TURNS:]
    left_out = len(dialogue.history) - len(history)
    turns = [(turn.speaker, turn.text) for turn in (*history, dialogue.last)]
    said = _said(encoder, [*turns, *(("bot", text) for text in sentences(dialogue.last.text, SENTENCES))])
    *earlier, response = said[: len(turns)]
    parts = said[len(turns) :]
    values, nearest = features(response, parts, earlier)
    return BehaviorInputs(
        response.vector,
        earlier[-1].vector if earlier else np.zeros_like(response.vector),
        values,
        hashed_words(dialogue.last.text, history[-1].text if history else ""),
        {who: Nearest(found.place + left_out, found.cosine) for who, found in nearest.items()},
    )


def _said(encoder: SentenceEncoder, turns: Sequence[tuple[Speaker, str]]) -> list[EncodedText]:
    vectors = encoder.encode([text for _, text in turns])
    return [EncodedText(speaker, _wording(text), vector) for (speaker, text), vector in zip(turns, vectors, strict=True)]


def hashed_words(response: str, last: str) -> Slots:
    """How often each slot is taken: by the words and pairs of words of the response, and by the words of the turn before it."""
    said, before = (_PIECE.findall(plain_text(text).lower().replace("’", "'")) for text in (response, last))
    terms = [*said, *(f"{one} {other}" for one, other in itertools.pairwise(said))]
    slots = Counter(zlib.crc32(term.encode()) % SLOTS for term in terms)
    slots.update(SLOTS + zlib.crc32(term.encode()) % (SLOTS // 4) for term in before)
    return slots
