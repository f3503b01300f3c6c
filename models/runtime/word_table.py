"""The vectors of word pieces that lie in another graph's file: each is shipped once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grice.models.manifest import Manifest
from grice.models.runtime.heads import Floats
from grice.models.runtime.session import read_graph

STEPS_MIDDLE = 128
"""What stands for 0 in the weights of an output layer."""
FOUR = 4
"""Numbers of two bits in a byte."""
MOST = 1 << 24
WORDS = "words"
"""The input of a graph that is given vectors of pieces, in place of their ids."""


@dataclass(frozen=True)
class WordTable:
    """Vectors of pieces in eight bits: `steps` (pieces, width) int8, `scales` (pieces, 1) float32."""

    steps: NDArray[np.int8]
    scales: Floats

    def vectors(self, ids: NDArray[np.int64]) -> Floats:
        """The vectors of pieces, shape (…, width), of ids of any shape."""
        found: Floats = self.steps[ids] * self.scales[ids]
        return found


def read_word_table(manifest: Manifest, part: str) -> WordTable:
    """The table in a part's int8 file, at the places that the manifest says under `words`.

    `pieces`, `width`: its shape. `steps_at`, `scales_at`: where steps and scales begin in the unpacked file, in bytes. With
    `blocks` the steps are those of an output layer: at `factors_at` lie factors (pieces, blocks) that turn them nearly into the
    table's, at `differences_at` by how much they still differ, four to a byte (see `grice.models.export.onnx_files.share_table`).

    Raises:
        WeightsError: the file is missing or damaged. ManifestError: the places are not in it.
    """
    graph = read_graph(manifest.graph(part, "int8"))
    pieces, width = manifest.count("words.pieces", 1, MOST), manifest.count("words.width", 1, 1 << 14)

    def read(place: str, kind: str, count: int) -> NDArray[np.generic]:
        most = len(graph) - count * np.dtype(kind).itemsize
        if most < 0:
            raise manifest.refuse("words.pieces", pieces, "as many as the file has")
        return np.frombuffer(graph, kind, count, manifest.count(f"words.{place}", 0, most))

    scales = read("scales_at", "<f4", pieces).astype(np.float32)[:, None]
    if not (np.isfinite(scales).all() and (scales > 0).all()):
        raise manifest.refuse("words.scales_at", manifest.settings["words"]["scales_at"], "where positive numbers lie")
    if "blocks" not in manifest.settings["words"]:
        return WordTable(read("steps_at", "i1", pieces * width).reshape(pieces, width).astype(np.int8), scales)
    blocks = manifest.count("words.blocks", 1, width)
    if width % blocks or width % FOUR:
        raise manifest.refuse("words.blocks", blocks, f"a divisor of {width}, which is one of {FOUR}")
    whole = read("steps_at", "u1", pieces * width).astype(np.float32).reshape(pieces, blocks, -1) - STEPS_MIDDLE
    factors = read("factors_at", "<f4", pieces * blocks).astype(np.float32).reshape(pieces, blocks, 1)
    if not np.isfinite(factors).all():
        raise manifest.refuse("words.factors_at", manifest.settings["words"]["factors_at"], "where numbers lie")
    packed = read("differences_at", "u1", pieces * width // FOUR).astype(np.uint8).reshape(pieces, -1)
    more = np.concatenate([(packed >> (2 * place)) & 3 for place in range(FOUR)], axis=1).astype(np.float32) - 1
    steps = np.clip(np.round(whole * factors).reshape(pieces, width) + more, -128, 127)
    return WordTable(steps.astype(np.int8), scales)
