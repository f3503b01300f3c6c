"""Token embeddings that a file makes from the weights of the output layer are the same to the last bit."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch import Tensor, nn

from grice.models.export.layers import Projection, TokenTable
from grice.models.export.onnx_files import share_table, write_fp32, write_int8_by_row

WORDS = 50


class Tied(nn.Module):
    """Looks a word up, and says how near each word is."""

    def __init__(self, width: int, other: bool = False) -> None:
        super().__init__()
        layer = nn.Linear(width, WORDS)
        self.words = TokenTable(torch.randn(WORDS, width) if other else layer.weight, small=True)
        self.vocabulary = Projection(layer)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        state = self.words(ids)
        return state, self.vocabulary(state)


def exported(module: nn.Module, folder: Path) -> Path:
    full, target = folder / "full.onnx", folder / "int8.onnx"
    axes = {name: {0: "batch", 1: "length"} for name in ("ids", "state", "near")}
    write_fp32(module, {"ids": torch.tensor([[1, 2]])}, ["state", "near"], axes, full)
    write_int8_by_row(full, target)
    return target


def answers(path: Path) -> list[np.ndarray]:
    ids = np.arange(WORDS).reshape(5, 10)
    found: list[np.ndarray] = onnxruntime.InferenceSession(str(path)).run(None, {"ids": ids})
    return found


@pytest.mark.parametrize(("width", "smaller"), [(256, True), (96, False)])
def test_nothing_changes_but_the_size(tmp_path: Path, width: int, smaller: bool) -> None:
    torch.manual_seed(0)
    path = exported(Tied(width), tmp_path)
    size, before = path.stat().st_size, answers(path)
    share_table(path, "words", "vocabulary")
    for one, other in zip(before, answers(path), strict=True):
        np.testing.assert_array_equal(one, other)
    assert (path.stat().st_size < size) is smaller  # blocks that are not full are left as they are


def test_other_embeddings_are_refused(tmp_path: Path) -> None:
    torch.manual_seed(0)
    path = exported(Tied(128, other=True), tmp_path)
    with pytest.raises(ValueError, match="words is not vocabulary"):
        share_table(path, "words", "vocabulary")
