"""Weights that lie in four bits beside their graph, and become int8 when the graph is loaded.

A weight is `scale × multiple × step` (`grice.models.training.low_bits`); `multiple × step` would fit into int8. It is halved to
seven bits: on processors without VNNI, sums of products of eight bits overflow, and those of seven never do. A few rows stay exact:
those that meet the channels of an input that are far larger than the others.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.errors import WeightsError

STEPS, MULTIPLES, SCALE, FEW = ".steps", ".multiples", ".scale", ".few"
"""How the names of the arrays of a weight end."""
INT8, EXACT = ".int8", ".exact"
"""How the names of what is made of them end."""
MOST_STEPS = 7
"""A step is -7 to 7, and lies in the file as 0 to 14."""
_HALVES = np.rint(np.arange(256, dtype=np.uint8).view(np.int8) / 2).astype(np.int8)


def read_column_weights(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays in a file.

    Of a weight (inputs, outputs): `.steps` (inputs / 2, outputs) uint8, two in a byte, those of the second half of the inputs in
    the high bits; `.multiples` (blocks, 1, outputs) uint8; `.scale` (outputs,) float32; `.few` rows, int64.

    Raises:
        WeightsError: it is not such a file.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise WeightsError(f"{path}: not the weights that were expected ({error}); install or export it again") from error


def unpack_column_weights(path: Path) -> dict[str, NDArray[Any]]:
    """What a graph needs of the weights in a file: of each `.int8` (inputs, outputs), and `.exact` (few, outputs) float32 where
    some rows stay exact.

    Raises:
        WeightsError: as `read_column_weights`, or arrays do not belong together.
    """
    arrays = read_column_weights(path)
    found: dict[str, NDArray[Any]] = {}
    try:
        for name in [each.removesuffix(STEPS) for each in arrays if each.endswith(STEPS)]:
            whole = whole_steps(arrays[name + STEPS], arrays[name + MULTIPLES])
            found[name + INT8] = _HALVES[whole.view(np.uint8)]
            if len(few := arrays[name + FEW]):
                found[name + EXACT] = whole[few].astype(np.float32) * arrays[name + SCALE]
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise WeightsError(f"{path}: its arrays do not belong together ({error}); install or export it again") from error
    return found


def whole_steps(steps: NDArray[np.uint8], multiples: NDArray[np.uint8]) -> NDArray[np.int8]:
    """`multiple × step`, (inputs, outputs)."""
    each = np.concatenate([steps & 15, steps >> 4]).view(np.int8) - np.int8(MOST_STEPS)
    blocks = each.reshape(len(multiples), -1, each.shape[1])
    whole: NDArray[np.int8] = (blocks * multiples.view(np.int8)).reshape(each.shape)
    return whole
