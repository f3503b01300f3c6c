"""Questions about slots as the model in training reads them, alone and in batches."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from grice.models.slots.inputs import NOT_MENTIONED, SlotInputs, SlotTexts, SlotTokens, spoken, words
from grice.models.training.slots.examples import SlotExample

RENAMED, DESCRIBED, NAMED, CUT = 0.3, 0.12, 0.08, 0.5
"""How often yes and no are said in other words, a slot has its description or its name alone, and values are left out."""


@dataclass(frozen=True)
class SlotBatch:
    """A batch of questions, padded.

    Attributes:
        ids, positions, segments, mask, owners: see `SlotInputs`; each (questions, length), the mask 0 where there is nothing.
        shares: what each value, and last "not mentioned", has of the answer: (questions, most values + 1); -1 where there is none.
    """

    ids: Tensor
    positions: Tensor
    segments: Tensor
    mask: Tensor
    owners: Tensor
    shares: Tensor


@dataclass(frozen=True)
class AskedSlot:
    """What is read of a question, and the shares of its hypotheses."""

    inputs: SlotInputs
    shares: tuple[float, ...]


class AskedSlots:
    """Questions as the model reads them."""

    def __init__(self, tokens: SlotTokens) -> None:
        self.tokens = tokens
        self.pieces = functools.lru_cache(maxsize=200_000)(tokens.pieces)

    def plain(self, example: SlotExample) -> AskedSlot:
        """As it is."""
        return self._item(SlotTexts.of(example.question), example.shares)

    def varied(self, example: SlotExample, chance: random.Random) -> AskedSlot:
        """With some of the values left out, yes and no in other words, the slot's name or its description alone."""
        question, slot = example.question, words(example.question.slot)
        values = tuple(map(spoken, question.values))
        if example.boolean and chance.random() < RENAMED:
            yes, no = chance.choice([(slot, f"no {slot}"), ("wanted", "not wanted"), ("true", "false"), ("it is", "it is not")])
            values = tuple({"yes": yes, "no": no}[value] for value in values)
        known = chance.choices(
            [question.description, slot, f"{slot}: {question.description}"], [DESCRIBED, NAMED, 1 - DESCRIBED - NAMED]
        )[0]
        kept = list(range(len(values)))
        if len(values) > 2 and chance.random() < CUT:
            wanted = [place for place in kept if example.shares[place]]
            others = [place for place in kept if not example.shares[place]]
            least = min(max(0, 2 - len(wanted)), len(others))
            kept = sorted([*wanted, *chance.sample(others, chance.randint(least, len(others)))])
        texts = replace(SlotTexts.of(question), slot=known, values=(*(values[place] for place in kept), NOT_MENTIONED))
        return self._item(texts, tuple(example.shares[place] for place in kept))

    def _item(self, texts: SlotTexts, shares: tuple[float, ...]) -> AskedSlot:
        return AskedSlot(self.tokens.inputs(texts, self.pieces), (*shares, float(not any(shares))))


def collate(items: Sequence[AskedSlot]) -> SlotBatch:
    """The batch of these questions."""
    length, most = max(len(each.inputs.ids) for each in items), max(len(each.shares) for each in items)
    columns = np.zeros((5, len(items), length), np.int64)
    shares = np.full((len(items), most), -1, np.float32)
    for row, item in enumerate(items):
        own = item.inputs
        size = len(own.ids)
        for column, values in enumerate((own.ids, own.positions, own.segments, np.ones(size), own.owners)):
            columns[column, row, :size] = values
        shares[row, : len(item.shares)] = item.shares
    ids, positions, segments, mask, owners = map(torch.from_numpy, columns)
    return SlotBatch(ids, positions, segments, mask, owners, torch.from_numpy(shares))
