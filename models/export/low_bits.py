"""int8 graphs whose weights take four bits in the file: onnxruntime unpacks them once, when it loads the model.

What is run is an ordinary int8 model; see `grice.models.training.low_bits` for how the weights are made.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

from grice.models.export.onnx_files import quiet, write_int8
from grice.models.training.low_bits import BLOCK, MOST_STEPS, LowBits

_QUANTIZED, _SCALE, _ZERO = "_quantized", "_scale", "_zero_point"


def write_low_bits(source: Path, target: Path) -> None:
    """`source` with four-bit weights; activations are quantised at run time, a whole input with one scale."""
    exact = {each.name: numpy_helper.to_array(each) for each in onnx.load(str(source)).graph.initializer}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        with quiet():
            write_int8(source, path)
        model = onnx.load(str(path))
    found = {each.name.removesuffix(_QUANTIZED) for each in model.graph.initializer if each.name.endswith(_QUANTIZED)}
    for name in sorted(found):
        _pack(model, name, exact[name])
    del model.graph.value_info[:]
    onnx.save(model, str(target))


def packed(steps: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Two steps a byte: the second half of the rows in the high bits; (rows, columns) to (rows / 2, columns)."""
    first, second = np.split(steps + MOST_STEPS, 2)
    return (first + 16 * second).astype(np.uint8)


def _pack(model: ModelProto, name: str, weight: NDArray[np.float32]) -> None:
    """Replace one int8 weight (inputs, outputs), by nodes that make it of its steps and multiples."""
    bits = LowBits.exactly(torch.from_numpy(weight.T.copy()))
    steps = bits.steps.flatten(1).T.numpy().astype(np.int64)
    multiples = bits.multiples.T[:, None].numpy().astype(np.uint8)
    columns = weight.shape[1]
    kept = [each for each in model.graph.initializer if each.name not in (name + _QUANTIZED, name + _SCALE)]
    constants: dict[str, NDArray[Any]] = {
        "steps": packed(steps),
        "multiples": multiples,
        "sixteen": np.array(16, np.int32),
        "middle": np.array(MOST_STEPS, np.int32),
        "blocks": np.array([-1, BLOCK, columns], np.int64),
        "shape": np.array(weight.shape, np.int64),
    }
    own = {key: f"{name}_{key}" for key in constants}
    tensors = [numpy_helper.from_array(value, own[key]) for key, value in constants.items()]
    tensors.append(numpy_helper.from_array(bits.scale.numpy().astype(np.float32), name + _SCALE))
    del model.graph.initializer[:]
    model.graph.initializer.extend([*kept, *tensors])
    chain: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Cast", [own["steps"]], "both", {"to": TensorProto.INT32}),
        ("Div", ["both", own["sixteen"]], "second", {}),
        ("Mul", ["second", own["sixteen"]], "shifted", {}),
        ("Sub", ["both", "shifted"], "first", {}),
        ("Concat", ["first", "second"], "shifted_steps", {"axis": 0}),
        ("Sub", ["shifted_steps", own["middle"]], "plain", {}),
        ("Reshape", ["plain", own["blocks"]], "in_blocks", {}),
        ("Cast", [own["multiples"]], "factors", {"to": TensorProto.INT32}),
        ("Mul", ["in_blocks", "factors"], "scaled", {}),
        ("Reshape", ["scaled", own["shape"]], "whole", {}),
    ]
    local = {output: f"{name}_{output}" for _, _, output, _ in chain}
    nodes = [
        helper.make_node(kind, [local.get(each, each) for each in inputs], [local[output]], f"{name}/{output}", **attributes)
        for kind, inputs, output, attributes in chain
    ]
    nodes.append(helper.make_node("Cast", [local["whole"]], [name + _QUANTIZED], f"{name}/int8", to=TensorProto.INT8))
    after = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*nodes, *after])
