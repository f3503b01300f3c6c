"""The slot-value resolver: which of a slot's values a turn means, though it may not say it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grice.models.errors import InputError
from grice.models.manifest import Manifest, read_manifest
from grice.models.results import SlotValues
from grice.models.runtime.session import open_session
from grice.models.sentence_encoder import SentenceEncoder, load_sentence_encoder
from grice.models.slot_inputs import SlotTexts, clues, pair_table
from grice.models.slot_questions import SlotQuestion

REMEMBERED = 2048
"""Hypotheses whose states are remembered: a bot asks about the same slots again and again."""
TOGETHER = 16
"""Hypotheses that are worked on in one go."""


class SlotResolver:
    """Scores a turn with each value of a slot, and with "nothing is said of it", on onnxruntime.

    Raises:
        WeightsError, ProviderError: the model cannot be loaded, or was fitted to another encoder.
        InputError: an argument is out of range.
    """

    def __init__(
        self, manifest: Manifest, encoder: SentenceEncoder, provider: str = "auto", threads: int = 1, precision: str = "int8"
    ) -> None:
        encoder.check_fitted(manifest)
        self.manifest = manifest
        self.encoder = encoder
        self.provider = encoder.provider
        self.temperature: float = manifest.settings["temperature"]
        self.margin: float = manifest.settings["margin"]
        self.session = open_session(manifest.path(f"layers.{precision}.onnx"), provider, threads)
        self._states = functools.lru_cache(maxsize=REMEMBERED)(lambda text: encoder.states([text])[0])

    def predict(self, questions: Sequence[SlotQuestion]) -> list[SlotValues]:
        """One result a question, in order.

        A question is ambiguous where the shares of its two best values, those of all values together being 1, differ by less than
        the margin that was best on held-out requests.

        Raises:
            InputError: a value has no letter that the encoder reads.
        """
        return [self._resolved(question) for question in questions]

    def _resolved(self, question: SlotQuestion) -> SlotValues:
        for value in question.values:
            if not self.encoder.reads(value):
                raise InputError(f"value of slot {question.slot}", value, "a value with Latin letters or digits")
        shares = softmax(self._raw(SlotTexts.of(question)) / self.temperature)
        *values, nothing = (float(share) for share in shares)
        second, first = np.sort(values)[-2:]
        mentioned = nothing < max(values)
        ambiguous = mentioned and bool(first - second < self.margin * (1 - nothing))
        best = question.values[int(np.argmax(values))]
        return SlotValues(tuple(values), nothing, best if mentioned and not ambiguous else None, ambiguous)

    def _raw(self, texts: SlotTexts) -> NDArray[np.float32]:
        """What the layers say of each hypothesis, shape (hypotheses,)."""
        said = [texts.turn, texts.before] if texts.before else [texts.turn]
        states = dict(zip(said, self.encoder.states(said), strict=True))
        states.update((text, self._states(text)) for text in (*texts.hypotheses, *texts.short, *texts.values))
        near = clues(texts, states)
        found = []
        for start in range(0, len(texts.hypotheses), TOGETHER):
            table, segments, mask = pair_table(texts, states, texts.hypotheses[start : start + TOGETHER])
            feed = {"states": table, "segments": segments, "mask": mask, "clues": near[start : start + TOGETHER]}
            found.append(self.session.run(["raw"], feed)[0])
        return np.concatenate(found)


def softmax(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Shares that add up to 1, of values on a logarithmic scale."""
    powers = np.exp(values - values.max())
    shares: NDArray[np.float32] = powers / powers.sum()
    return shares


@functools.lru_cache(maxsize=16, typed=True)
def load_slot_resolver(
    name: str | Path = "slot_values", *, provider: str = "auto", threads: int = 1, precision: str = "int8"
) -> SlotResolver:
    """The shipped resolver by name, or one from a folder, with its encoder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    manifest = read_manifest(name, "slot-values")
    encoder = load_sentence_encoder(manifest.settings["encoder"]["name"], provider=provider, threads=threads, precision=precision)
    return SlotResolver(manifest, encoder, provider, threads, precision)
