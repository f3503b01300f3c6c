"""How a slot, its values and a dialogue become what the slot-value resolver reads: a premise and one hypothesis a value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models import verbatim
from grice.models.slot_questions import SlotQuestion
from grice.models.wording import Wording

Array = NDArray[np.floating[Any]]
Pair = tuple[Array, NDArray[np.int64]]
"""States, and the segment of each."""

BOOLEAN = {"True": "yes", "False": "no"}
"""Values of boolean slots, and how a hypothesis says them."""
NOT_MENTIONED = "nothing is said of it"
SEGMENTS = ("user", "bot", "hypothesis")
"""What a token belongs to: the turn itself, the bot's turn before it, or the hypothesis."""

CLUES = 9
MOST_TOKENS = {"bot": 24, "user": 48, "hypothesis": 48}
"""Of the bot's turn the last, of the others the first."""

_JOINT = re.compile(r"[_\-\s]+|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class SlotTexts:
    """What is read of a question, each text by itself.

    Attributes:
        turn, before: the turn, and the bot's turn right before it if there is one.
        hypotheses: one a value, in order, and last the one for a slot that the turn says nothing of.
        short: the same in few words, whose vectors are compared with the turn's.
        values: the values alone, as they are spoken, and `NOT_MENTIONED`.
        about: what the slot is, in words.
    """

    turn: str
    before: str | None
    hypotheses: tuple[str, ...]
    short: tuple[str, ...]
    values: tuple[str, ...]
    about: str

    @classmethod
    def of(cls, question: SlotQuestion) -> SlotTexts:
        """The texts of `question`."""
        dialogue, slot = question.dialogue, words(question.slot)
        before = dialogue.history[-1] if dialogue.history else None
        said = [*map(spoken, question.values), NOT_MENTIONED]
        return cls(
            dialogue.last.text,
            before.text if before and before.speaker == "bot" else None,
            tuple(f"{slot}, {question.description}: {each}" for each in said),
            tuple(f"{slot} {each}" for each in said),
            tuple(said),
            f"{slot} {question.description}",
        )

    @property
    def all(self) -> tuple[str, ...]:
        """Every text once or more."""
        return (self.turn, *([self.before] if self.before else []), *self.hypotheses, *self.short, *self.values)


def joined(texts: SlotTexts, states: Mapping[str, Array], hypothesis: str) -> Pair:
    """The states of the bot's turn, the user's and the hypothesis, one after the other, and the segment of each.

    Shapes (length, width) and (length,), with at most `MOST_TOKENS` of each.
    """
    parts = [
        (states[texts.turn][: MOST_TOKENS["user"]], "user"),
        (states[hypothesis][: MOST_TOKENS["hypothesis"]], "hypothesis"),
    ]
    if texts.before:
        parts.insert(0, (states[texts.before][-MOST_TOKENS["bot"] :], "bot"))
    belongs = np.repeat([SEGMENTS.index(segment) for _, segment in parts], [len(part) for part, _ in parts])
    return np.concatenate([part for part, _ in parts]), belongs


def pair_table(
    texts: SlotTexts, states: Mapping[str, Array], hypotheses: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Some of the hypotheses, each after the turns: states (hypotheses, length, width), segments and mask (hypotheses, length)."""
    return padded([joined(texts, states, hypothesis) for hypothesis in hypotheses])


def padded(pairs: Sequence[Pair]) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """States, segments and mask of what `joined` gives, one row a pair."""
    shape = len(pairs), max(len(segments) for _, segments in pairs)
    table = np.zeros((*shape, pairs[0][0].shape[1]), np.float32)
    segments, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for number, (values, belongs) in enumerate(pairs):
        table[number, : len(belongs)] = values
        segments[number, : len(belongs)] = belongs
        mask[number, : len(belongs)] = 1
    return table, segments, mask


def clues(texts: SlotTexts, states: Mapping[str, Array]) -> NDArray[np.float32]:
    """What can be told of each hypothesis without the layers, shape (hypotheses, `CLUES`).

    How near it is to the turn, in full, in short and by its value alone, and how near to the bot's turn; the share of the value's
    words that the turn has; for yes and no, whether the turn is negated, and whether it starts as an answer of that kind does; for
    `NOT_MENTIONED`, 1 and the share of the slot's words that the turn has.
    """
    turn = vector(states[texts.turn])
    full, short, value = (
        np.stack([vector(states[text]) for text in each]) for each in (texts.hypotheses, texts.short, texts.values)
    )
    before = short @ vector(states[texts.before]) if texts.before else np.zeros(len(short), np.float32)
    wording = Wording.of(texts.turn)
    heard = frozenset(verbatim.words(texts.turn))
    answer = float(wording.affirms) - float(wording.denies)
    told = np.zeros((len(short), 5))
    for number, each in enumerate(texts.values[:-1]):
        sign = {"yes": 1.0, "no": -1.0}.get(each, 0.0)
        told[number, :3] = _share(verbatim.words(each), heard), sign * (-1.0 if wording.negated else 1.0), sign * answer
    told[-1, 3:] = 1.0, _share(sorted(Wording.of(texts.about).content), heard)
    return np.concatenate([np.stack([full @ turn, short @ turn, value @ turn, before], axis=1), told], axis=1).astype(np.float32)


def _share(wanted: Sequence[str], heard: frozenset[str]) -> float:
    return sum(word in heard for word in wanted) / max(1, len(wanted))


def vector(states: Array) -> NDArray[np.float32]:
    """The mean of the states of a text at unit length, shape (width,)."""
    mean = states.astype(np.float32).mean(0)
    found: NDArray[np.float32] = mean / np.linalg.norm(mean)
    return found


def spoken(value: str) -> str:
    """A value as a person might say it: `credit_card` is two words, `True` is yes."""
    return BOOLEAN.get(value, words(value))


def words(name: str) -> str:
    """A name of a schema in words: `price_range` and `priceRange` are "price range"; a name of marks alone stays as it is."""
    return " ".join(part for part in _JOINT.split(name) if part).lower() or name
