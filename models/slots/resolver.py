"""The slot-value resolver: which of a slot's values a turn means, though it may not say it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import check_each
from grice.models.errors import InputError
from grice.models.manifest import Manifest, read_manifest
from grice.models.meaning.reader import load_meaning_reader
from grice.models.results import SlotValues
from grice.models.runtime.heads import softmax
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.slots.by_meaning import MeaningSlotResolver
from grice.models.slots.inputs import SlotTexts, SlotTokens
from grice.models.slots.questions import SlotQuestion
from grice.models.text.template import read_tokenizer

REMEMBERED = 8192
"""Texts whose pieces are remembered: a bot asks about the same slots again and again."""


class SlotResolver:
    """Scores a turn with each value of a slot, and with "nothing is said of it", on onnxruntime.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, runtime: Runtime = Runtime()) -> None:
        self.precision = runtime.precision
        self.manifest = manifest
        self.temperature = manifest.number("temperature", 0.01, 100)
        self.margin = manifest.number("margin", 0, 1)
        self.tokens = SlotTokens(read_tokenizer(manifest.tokenizer_path))
        self.session = Session(manifest.graph("reader", runtime.precision), runtime)
        self.provider = self.session.provider
        self._pieces = functools.lru_cache(maxsize=REMEMBERED)(self.tokens.pieces)

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        """One result a question, in order.

        A question is ambiguous where the shares of its two best values, those of all values together being 1, differ by less than
        the margin that was best on held-out requests.

        Raises:
            InputError: a value has no letter that the model reads.
        """
        check_each(questions, SlotQuestion, "questions")
        return [self._resolved(question) for question in questions]

    def _resolved(self, question: SlotQuestion) -> SlotValues:
        for value in question.values:
            if not self.tokens.reads(value):
                raise InputError(f"value of slot {question.slot}", value, "a value with Latin letters or digits")
        shares = softmax(self._raw(SlotTexts.of(question)) / self.temperature)
        *values, nothing = (float(share) for share in shares)
        second, first = np.sort(values)[-2:]
        mentioned = nothing < 0.5
        ambiguous = mentioned and bool(first - second < self.margin * (1 - nothing))
        best = question.values[int(np.argmax(values))]
        return SlotValues(tuple(values), nothing, best if mentioned and not ambiguous else None, ambiguous)

    def _raw(self, texts: SlotTexts) -> NDArray[np.float32]:
        """How well each value, and last `NOT_MENTIONED`, holds: shape (values + 1,)."""
        inputs = self.tokens.inputs(texts, self._pieces)
        feed = {name: getattr(inputs, name)[None] for name in ("ids", "positions", "segments")}
        tokens: NDArray[np.float32] = self.session.run(["raw"], feed)[0][0]
        sums = np.bincount(inputs.owners, tokens)[1:]
        return (sums / np.bincount(inputs.owners)[1:]).astype(np.float32)


@functools.lru_cache(maxsize=16, typed=True)
def load_slot_resolver(name: str | Path = "meaning", *, runtime: Runtime = Runtime()) -> SlotResolver | MeaningSlotResolver:
    """The shipped reader of meaning, which answers slot questions, too, or a resolver from a folder; loaded once a process for the
    same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    if read_manifest(name).task == "meaning":
        return MeaningSlotResolver(load_meaning_reader(name, runtime=runtime))
    return SlotResolver(read_manifest(name, "slot-values"), runtime)
