"""What the benchmark's state tracker reads of a turn and a slot: vectors of the sentence encoder, and words in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from grice.models.dialogue import Dialogue
from grice.models.runtime.heads import Floats
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.slots.questions import SlotQuestion
from grice.models.text.verbatim import says, words
from grice.models.text.wording import FUNCTION_WORDS, Wording, sentences

SENTENCES = 4
LETTERS = 3
SPOKEN = {"True": "yes", "False": "no"}
SCALE = 100.0
"""Products of two vectors of length 1 are tiny; so scaled, they are about as large as the other features."""
NUMBERS = 19
"""Numbers of an option beside the products of vectors."""
_NEGATIONS = frozenset({"no", "not", "don", "without", "instead", "never", "neither"})
_NEGATION_REACH = 3


def width(encoder: SentenceEncoder) -> int:
    """How many features an option has."""
    return 4 * encoder.width + NUMBERS


def features(question: SlotQuestion, encoder: SentenceEncoder) -> Floats:
    """Features of a question's options, shape (1 + values, `width`): first that no value is meant, then each value in order."""
    said, asked = question.dialogue.last.text, _asked(question.dialogue)
    parts = sentences(said, SENTENCES)
    turn, before, slot, *pieces = encoder.encode([said, asked, question.description, *parts])
    spoken = [SPOKEN.get(value, value) for value in question.values]
    names = encoder.encode(spoken)
    claims = encoder.encode([f"{question.description}: {name}" for name in spoken])
    nothing = np.concatenate([np.zeros_like(turn), turn * slot, before * slot, turn * slot])
    products = [nothing] + [
        np.concatenate([turn * name, turn * claim, before * claim, turn * slot]) for name, claim in zip(names, claims, strict=True)
    ]
    near = np.stack([(np.stack(pieces) @ np.stack([name, claim]).T).max(0) for name, claim in zip(names, claims, strict=True)])
    return np.concatenate([SCALE * np.stack(products), _numbers(question, said, asked, near)], axis=1).astype(np.float32)


def _asked(dialogue: Dialogue) -> str:
    """What the bot said just before; an empty text if nothing."""
    return dialogue.history[-1].text if dialogue.history and dialogue.history[-1].speaker == "bot" else ""


def _numbers(question: SlotQuestion, said: str, asked: str, near: Floats) -> Floats:
    wording, about = Wording.of(said), content_words(question.description)
    spoken, heard = words(said), words(asked)
    shared = [share(about, spoken), share(about, heard)]
    turn = [wording.affirms, wording.denies, wording.negated, asked.endswith("?"), len(spoken) / 20, not asked, *shared]
    values = []
    for value, cosines in zip(question.values, near, strict=True):
        name = words(value)
        others = any(says(said, other) for other in question.values if other != value)
        values.append(
            [
                *(says(said, value), says(asked, value), share(name, spoken), share(name, heard), _alike(name, spoken)),
                *(_negated(name, spoken), others, value == "True", value == "False", *cosines),
            ]
        )
    table = np.array(values, np.float32)
    nothing = np.concatenate([table.max(0)[:7], [0, 0], table.max(0)[9:]])
    return np.concatenate([np.stack([nothing, *table]), np.tile(np.array(turn, np.float32), (len(table) + 1, 1))], axis=1)


def content_words(text: str) -> list[str]:
    """The words of `text`, as `verbatim` compares them, that are no function words."""
    return [word for word in words(text) if word not in FUNCTION_WORDS]


def share(wanted: Sequence[str], said: Sequence[str]) -> float:
    """The part of the wanted words that is said, 0 to 1."""
    return sum(word in said for word in wanted) / max(1, len(wanted))


def _alike(wanted: list[str], said: list[str]) -> float:
    """The mean over the wanted words of the Dice coefficient of letter runs with the most similar word."""
    best = [max((_dice(word, other) for other in said), default=0.0) for word in wanted]
    return sum(best) / max(1, len(best))


@cache
def _runs(word: str) -> frozenset[str]:
    padded = f" {word} "
    return frozenset(padded[start : start + LETTERS] for start in range(max(1, len(padded) - LETTERS + 1)))


def _dice(one: str, other: str) -> float:
    left, right = _runs(one), _runs(other)
    return 2 * len(left & right) / (len(left) + len(right))


def _negated(name: list[str], said: list[str]) -> bool:
    """Whether a negation stands shortly before the first word of the value."""
    if not name or name[0] not in said:
        return False
    place = said.index(name[0])
    return any(word in _NEGATIONS for word in said[max(0, place - _NEGATION_REACH) : place])
