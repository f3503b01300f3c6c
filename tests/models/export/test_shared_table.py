"""Token embeddings that a file makes from the weights of the output layer are the same to the last bit."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch import Tensor, nn

from grice.models.export.layers import Projection, TokenTable
from grice.models.export.onnx_files import pack_graph, share_table, write_fp32, write_int8_by_row
from grice.models.export.word_places import give_vectors, places_of
from grice.models.manifest import read_manifest, write_manifest
from grice.models.runtime.word_table import read_word_table

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
        return state + 1, self.vocabulary(state)


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


def test_a_graph_that_is_given_vectors_says_the_same(tmp_path: Path) -> None:
    torch.manual_seed(0)
    path = exported(Tied(256), tmp_path)
    before = answers(path)
    assert share_table(path, "words", "vocabulary")
    pack_graph(path, tmp_path / "model.int8.onnx.gz")
    places = places_of(tmp_path / "model.int8.onnx.gz", "words", "vocabulary")
    write_manifest(tmp_path, {"name": "tied", "version": "1", "task": "rewriting", "settings": {"words": places}})
    table = read_word_table(read_manifest(tmp_path), "model")
    torch.manual_seed(0)
    alone = exported(Tied(256), tmp_path)
    give_vectors(alone, "words")
    vectors = table.vectors(np.arange(WORDS).reshape(5, 10))
    state, near = onnxruntime.InferenceSession(str(alone)).run(None, {"words": vectors})
    np.testing.assert_array_equal(state, before[0])
    np.testing.assert_array_equal(near, before[1])


def test_a_graph_without_embeddings_cannot_be_given_vectors(tmp_path: Path) -> None:
    path = exported(Tied(256), tmp_path)
    give_vectors(path, "words")
    with pytest.raises(ValueError, match="no embeddings words"):
        give_vectors(path, "words")
