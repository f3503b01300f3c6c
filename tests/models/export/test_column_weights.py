"""Weights in four bits beside their graph: what a graph says with them, and what is said of damaged files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from grice.models.errors import WeightsError
from grice.models.export.column_weights import LARGEST, write_column_weights
from grice.models.export.dequantise import read_weights
from grice.models.export.onnx_files import OPSET, pack_graph
from grice.models.runtime.column_weights import FEW, MULTIPLES, unpack_column_weights
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.training.low_bits import LowBits

INPUTS, OUTPUTS = 256, 192
LOUD = (3, 77, 200)
"""Channels that are far larger than the others."""


def four_bits(outputs: int, seed: int) -> np.ndarray:
    weight = torch.randn(outputs, INPUTS, generator=torch.Generator().manual_seed(seed))
    return LowBits.of(weight).weight.T.numpy().astype(np.float32)


def inputs(seed: int, rows: int = 9) -> np.ndarray:
    given = np.random.default_rng(seed).standard_normal((1, rows, INPUTS)).astype(np.float32)
    given[:, :, LOUD] *= 200
    return given


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    return {"layer.weight": four_bits(OUTPUTS, 1), "kept.weight": four_bits(OUTPUTS, 2), "narrow.weight": four_bits(8, 3)}


@pytest.fixture(scope="module")
def folder(weights: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of three products, of which the first is used twice, as `graph.onnx.gz` and `graph.npz`."""
    out = tmp_path_factory.mktemp("columns")
    products = [("a", "layer"), ("b", "layer"), ("a", "kept"), ("a", "narrow")]
    nodes = [helper.make_node("MatMul", [given, f"{name}.weight"], [f"{name}_{given}"]) for given, name in products]
    shapes = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "rows", INPUTS]) for name in "ab"]
    made = [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None) for node in nodes]
    graph = helper.make_graph(nodes, "toy", shapes, made, [numpy_helper.from_array(each, name) for name, each in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8), str(out / "full.onnx"))
    samples = [{"a": inputs(seed), "b": inputs(seed + 50)} for seed in range(4)]
    for name, feeds in (("graph", samples), ("plain", [])):
        write_column_weights(out / "full.onnx", out / f"{name}.onnx", out / f"{name}.npz", feeds, kept=["kept.weight"])
        pack_graph(out / f"{name}.onnx", out / f"{name}.onnx.gz")
    return out


def test_products_are_right_though_some_channels_are_far_larger(folder: Path, weights: dict[str, np.ndarray]) -> None:
    given = {"a": inputs(8), "b": inputs(9)}
    session = Session(folder / "graph.onnx.gz", Runtime(), folder / "graph.npz")
    names = ["layer_a", "layer_b", "kept_a", "narrow_a"]
    for name, found in zip(names, session.run(names, given), strict=True):
        layer, _, source = name.rpartition("_")
        wanted = given[source] @ weights[f"{layer}.weight"]
        quiet = np.delete(given[source], LOUD, axis=2) @ np.delete(weights[f"{layer}.weight"], LOUD, axis=0)
        assert np.abs(found - wanted).max() < 0.05 * np.abs(quiet).max()  # one scale for all channels would lose the quiet ones


def test_without_channels_in_float_products_are_right_where_none_is_larger(folder: Path, weights: dict[str, np.ndarray]) -> None:
    given = {name: np.random.default_rng(8).standard_normal((1, 9, INPUTS)).astype(np.float32) for name in "ab"}
    (found,) = Session(folder / "plain.onnx.gz", Runtime(), folder / "plain.npz").run(["layer_a"], given)
    wanted = given["a"] @ weights["layer.weight"]
    assert np.abs(found - wanted).max() < 0.05 * np.abs(wanted).max()
    assert sorted(unpack_column_weights(folder / "plain.npz")) == ["layer.weight.int8"]
    assert np.allclose(
        read_weights(folder / "plain.onnx.gz", folder / "plain.npz")["layer.weight"], weights["layer.weight"], atol=1e-6
    )


def test_what_is_loaded_is_made_of_the_file(folder: Path, weights: dict[str, np.ndarray]) -> None:
    found = unpack_column_weights(folder / "graph.npz")
    assert sorted(found) == ["layer.weight.exact", "layer.weight.int8"]
    int8, exact = found["layer.weight.int8"], found["layer.weight.exact"]
    assert (int8.dtype, int8.shape, exact.shape) == (np.int8, (INPUTS, OUTPUTS), (LARGEST, OUTPUTS))
    assert np.abs(int8).max() <= 63  # two products of seven and eight bits never overflow sixteen
    with np.load(folder / "graph.npz") as stored:
        few = stored["layer.weight" + FEW]
    assert set(LOUD) <= set(few.tolist())
    assert np.allclose(exact, weights["layer.weight"][few], atol=1e-6)


def test_the_files_give_back_the_weights(folder: Path, weights: dict[str, np.ndarray]) -> None:
    found = read_weights(folder / "graph.onnx.gz", folder / "graph.npz")
    for name, wanted in weights.items():
        assert np.allclose(found[name], wanted, atol=1e-6)


def test_the_graph_alone_is_refused(folder: Path) -> None:
    with pytest.raises(WeightsError, match="onnxruntime cannot load it"):
        Session(folder / "graph.onnx.gz")


@pytest.mark.parametrize("content", [b"", b"PK nonsense"])
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "graph.npz").write_bytes(content)
    with pytest.raises(WeightsError, match="not the weights that were expected"):
        Session(folder / "graph.onnx.gz", Runtime(), tmp_path / "graph.npz")


@pytest.mark.parametrize("spoil", [lambda arrays: arrays.pop("layer.weight" + MULTIPLES), lambda arrays: _cut(arrays)])
def test_arrays_that_do_not_belong_together_are_refused(folder: Path, tmp_path: Path, spoil: object) -> None:
    with np.load(folder / "graph.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    assert callable(spoil)
    spoil(arrays)
    np.savez(tmp_path / "graph.npz", **arrays)
    with pytest.raises(WeightsError, match="do not belong together"):
        unpack_column_weights(tmp_path / "graph.npz")


def _cut(arrays: dict[str, np.ndarray]) -> None:
    arrays["layer.weight" + MULTIPLES] = arrays["layer.weight" + MULTIPLES][:3]
