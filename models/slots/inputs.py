"""How a slot, its values and a dialogue become what the slot-value resolver reads: one premise, and a hypothesis for each value.

`[CLS] bot's turn [SEP] turn [SEP] slot: description [SEP]`, then each value with a `[SEP]` of its own. All values begin at the same
position, so their order does not matter; they share the premise, which is therefore read once and not once a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from grice.models.dialogue import plain_text
from grice.models.slots.questions import SlotQuestion
from grice.models.text.template import token_id

Pieces = Callable[[str], Sequence[int]]
"""From a text to the ids of its pieces."""

BOOLEAN = {"True": "yes", "False": "no"}
"""Values of boolean slots, and how a hypothesis says them."""
NOT_MENTIONED = "not mentioned"
"""The last hypothesis: that the turn says nothing of the slot."""
SEGMENTS = ("before", "turn", "slot", "value")
MOST_TOKENS = {"before": 32, "turn": 64, "slot": 40, "value": 12}
"""Of the bot's turn the last, of the others the first."""
POSITIONS = sum(MOST_TOKENS.values()) + 5

_JOINT = re.compile(r"[_\-\s]+|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class SlotTexts:
    """What is read of a question.

    Attributes:
        turn, before: the turn, and the bot's turn right before it ("" if there is none).
        slot: its name and description.
        values: as they are spoken, and last `NOT_MENTIONED`.
    """

    turn: str
    before: str
    slot: str
    values: tuple[str, ...]

    @classmethod
    def of(cls, question: SlotQuestion) -> SlotTexts:
        """The texts of `question`."""
        history = question.dialogue.history
        before = history[-1].text if history and history[-1].speaker == "bot" else ""
        slot = f"{words(question.slot)}: {question.description}"
        return cls(question.dialogue.last.text, before, slot, (*map(spoken, question.values), NOT_MENTIONED))


@dataclass(frozen=True)
class SlotInputs:
    """What the model reads of a question, each of shape (length,).

    Attributes:
        ids: of the pieces.
        positions: of each piece; all values begin at the same one.
        segments: its place in `SEGMENTS`.
        owners: the number of the value that it belongs to, from 1; 0 for none.
    """

    ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    segments: NDArray[np.int64]
    owners: NDArray[np.int64]


class SlotTokens:
    """Turns texts into the ids of `tokenizer`.

    Raises:
        WeightsError: the tokenizer is another model's.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._start, self._end = token_id(tokenizer, "[CLS]"), token_id(tokenizer, "[SEP]")
        self._unknown = token_id(tokenizer, "[UNK]")

    def pieces(self, text: str) -> list[int]:
        """The ids of the pieces of `text`."""
        found: list[int] = self.tokenizer.encode(plain_text(text), add_special_tokens=False).ids
        return found

    def reads(self, text: str) -> bool:
        """Whether `text` has a piece that the model knows."""
        return any(piece != self._unknown for piece in self.pieces(text))

    def inputs(self, texts: SlotTexts, pieces: Pieces | None = None) -> SlotInputs:
        """What the model reads of `texts`; `pieces` may remember what it has cut before."""
        cut = pieces or self.pieces
        parts = [
            ("before", [self._start, *cut(texts.before)[-MOST_TOKENS["before"] :], self._end]),
            ("turn", [*cut(texts.turn)[: MOST_TOKENS["turn"]], self._end]),
            ("slot", [*cut(texts.slot)[: MOST_TOKENS["slot"]], self._end]),
        ]
        parts += [("value", [*cut(value)[: MOST_TOKENS["value"]], self._end]) for value in texts.values]
        columns: list[list[int]] = [[], [], [], []]
        ids, positions, segments, owners = columns
        start = number = 0
        for segment, part in parts:
            ids += part
            positions += range(start, start + len(part))
            segments += [SEGMENTS.index(segment)] * len(part)
            number += segment == "value"
            owners += [number] * len(part)
            start += len(part) if segment != "value" else 0
        return SlotInputs(*(np.array(column, np.int64) for column in columns))


def spoken(value: str) -> str:
    """A value as a person might say it: `credit_card` is two words, `True` is yes."""
    return BOOLEAN.get(value, words(value))


def words(name: str) -> str:
    """A name of a schema in words: `price_range` and `priceRange` are "price range"; a name of marks alone stays as it is."""
    return " ".join(part for part in _JOINT.split(name) if part).lower() or name
