"""The directness scorer: how plainly a turn says what is wanted, in the light of its history."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grice.models.dialogue import Dialogue, check_each
from grice.models.manifest import Manifest, read_manifest
from grice.models.results import Directness
from grice.models.runtime.parallel import Workers
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.text.template import QUERY_TAG, EncodedSource, SourceFormat, encode_source, read_tokenizer, token_id

STEEPEST = 1000.0
"""Slope and offset of a calibration are smaller."""
FARTHEST = 700.0
"""The logistic curve is 0 or 1 beyond it, and its exponential too large for a float."""


class DirectnessModel:
    """Scores the last turn of a dialogue with a MiniLM-sized encoder on onnxruntime.

    The raw score is calibrated by a logistic curve fitted on development dialogues (Platt scaling), so that 0.5 is as direct
    as what people say unprompted, and the score of a group of turns is about their mean on the paper's scale (direct 1,
    original 0.5, indirect 0).

    Raises:
        WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """

    def __init__(self, manifest: Manifest, runtime: Runtime = Runtime()) -> None:
        self.manifest = manifest
        self.layout = SourceFormat.of(manifest)
        self.slope = manifest.number("calibration.slope", 0, STEEPEST)
        self.offset = manifest.number("calibration.offset", -STEEPEST, STEEPEST)
        self.tokenizer = read_tokenizer(manifest.tokenizer_path)
        self.session = Session(manifest.graph("encoder", runtime.precision), runtime)
        self.provider = self.session.provider
        self.workers = Workers(runtime.workers)
        self._query_id = token_id(self.tokenizer, QUERY_TAG)

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        """The directness of the last turn of each dialogue, in order.

        Each is scored by itself: on CPU a batch would only add padding, and an int8 score would depend on the rest of the batch.
        """
        check_each(dialogues, Dialogue, "dialogues")
        sources = [encode_source(self.tokenizer, d.last.text, d.history, None, self.layout) for d in dialogues]
        return self.workers.map(self._scored, sources, len(sources))

    def _scored(self, sources: Sequence[EncodedSource]) -> list[Directness]:
        return [Directness(self._score(source), source.history_read, source.history_cut, source.text_cut) for source in sources]

    def _score(self, source: EncodedSource) -> float:
        ids, mask, query = directness_inputs([source.ids], self._query_id)
        raw = float(self.session.run(["raw"], {"ids": ids, "mask": mask, "query": query})[0][0])
        return 1 / (1 + math.exp(-max(-FARTHEST, min(FARTHEST, self.slope * raw + self.offset))))


def directness_inputs(
    rows: Sequence[Sequence[int]], query_id: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Padded `ids`, `mask` (1 for tokens) and `query` (1 for the tokens of the turn itself), each (batch, length)."""
    width = max(map(len, rows))
    ids, mask, query = (np.zeros((len(rows), width), dtype=np.int64) for _ in range(3))
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
        query[number, row.index(query_id) if query_id in row else 0 : len(row)] = 1
    return ids, mask, query


@functools.lru_cache(maxsize=16, typed=True)
def load_directness_scorer(name: str | Path = "directness", *, runtime: Runtime = Runtime()) -> DirectnessModel:
    """A shipped scorer by name, or one from a folder; loaded once a process for the same arguments.

    Raises:
        ModelNotFound, WeightsError, ProviderError: the model cannot be loaded.
        InputError: an argument is out of range.
    """
    return DirectnessModel(read_manifest(name, "directness"), runtime)
