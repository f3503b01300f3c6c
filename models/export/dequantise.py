"""The float weights that a quantised ONNX file stands for: the inverse of what this package writes.

What was rounded stays rounded: these are dequantised weights, not those that training ended with.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

from grice.models.errors import WeightsError
from grice.models.export.block_weights import MIDDLE
from grice.models.runtime.column_weights import MULTIPLES, SCALE, STEPS, read_column_weights, whole_steps
from grice.models.runtime.heads import Floats
from grice.models.runtime.session import read_graph
from grice.models.runtime.word_table import STEPS_MIDDLE
from grice.models.training.low_bits import BLOCK, MOST_STEPS

Tensors = dict[str, NDArray[Any]]


def read_weights(path: Path, beside: Path | None = None) -> dict[str, Floats]:
    """The weights in a file of any precision, by the names that they have in the module that was exported.

    Args:
        beside: the file of weights that do not lie in the graph's.

    Raises:
        WeightsError: the file is no ONNX model.
    """
    graph = read_graph(path)
    try:
        model = onnx.load_from_string(graph)
    except Exception as error:  # protobuf raises its own errors
        raise WeightsError(f"{path}: not an ONNX model ({error}); install or export it again") from error
    there = [each for each in model.graph.initializer if each.data_location != TensorProto.EXTERNAL]
    tensors = {each.name: numpy_helper.to_array(each) for each in there}
    found = {name: value.astype(np.float32) for name, value in tensors.items() if value.dtype in (np.float32, np.float16)}
    for name in tensors:
        for ending, dequantise in _KINDS.items():
            if name.endswith(ending):
                found[name.removesuffix(ending) + _WEIGHT_OF.get(ending, "")] = dequantise(name.removesuffix(ending), tensors)
    if beside is not None:
        arrays = read_column_weights(beside)
        for name in [each.removesuffix(STEPS) for each in arrays if each.endswith(STEPS)]:
            found[name] = whole_steps(arrays[name + STEPS], arrays[name + MULTIPLES]).astype(np.float32) * arrays[name + SCALE]
    for node in model.graph.node:
        if node.op_type == "MatMulNBits":  # the last block of a column may not be full
            name, inputs = (
                node.input[1].removesuffix("_Q8").removesuffix("_Q4"),
                next(each.i for each in node.attribute if each.name == "K"),
            )
            found[name] = found[name][:inputs]
    for name, factor in _smoothed(model, tensors):
        found[name] = found[name] * factor[:, None]
    return found


def _by_column(name: str, tensors: Tensors) -> Floats:
    """A weight (inputs, outputs) with a scale an output."""
    zero = tensors[f"{name}_zero_point"].astype(np.float32)
    return ((tensors[f"{name}_quantized"] - zero) * tensors[f"{name}_scale"]).astype(np.float32)


def _low_bits(name: str, tensors: Tensors) -> Floats:
    """A weight of four bits, see `grice.models.export.low_bits`."""
    steps = _unpacked(tensors[f"{name}_steps"], 0).reshape(-1, BLOCK, tensors[f"{name}_steps"].shape[1])
    whole = (steps * tensors[f"{name}_multiples"]).reshape(-1, steps.shape[2])
    return (whole * tensors[f"{name}_scale"]).astype(np.float32)


def _by_row(name: str, tensors: Tensors) -> Floats:
    """A weight of `write_int8_by_row`, turned to (inputs, outputs)."""
    steps = tensors[f"{name}_Q8"].astype(np.float32) - STEPS_MIDDLE
    rows = len(steps)
    whole = steps * tensors[f"{name}_scales"].reshape(rows, -1, 1)
    return np.ascontiguousarray(whole.reshape(rows, -1).T)


def _by_block(name: str, tensors: Tensors) -> Floats:
    """A weight of `write_block_weights`, turned to (inputs, outputs)."""
    both = tensors[f"{name}_Q4"]
    steps = np.stack([both & 15, both >> 4], axis=-1).reshape(*both.shape[:2], -1).astype(np.float32) - MIDDLE
    whole = steps * tensors[f"{name}_multiples"][..., None]
    return np.ascontiguousarray((whole.reshape(len(both), -1) * tensors[f"{name}_scale"]).T.astype(np.float32))


def _table(name: str, tensors: Tensors) -> Floats:
    """Embeddings of `TokenTable`, exact or in eight bits."""
    table = tensors[f"{name}.table"].astype(np.float32)
    return table * tensors[f"{name}.scale"] if f"{name}.scale" in tensors else table


def _low_bit_table(name: str, tensors: Tensors) -> Floats:
    """Embeddings of `LowBitTable`."""
    steps = _unpacked(tensors[f"{name}.steps"], 1)
    blocks = steps.reshape(len(steps), -1, BLOCK) * tensors[f"{name}.multiples"][..., None]
    return (blocks.reshape(len(steps), -1) * tensors[f"{name}.scale"]).astype(np.float32)


def _unpacked(both: NDArray[Any], axis: int) -> NDArray[np.int32]:
    """Two steps a byte: the first half along the axis in the low bits, the second in the high ones."""
    return np.concatenate([both & 15, both >> 4], axis=axis).astype(np.int32) - MOST_STEPS


_KINDS = {
    "_quantized": _by_column,
    "_steps": _low_bits,
    "_Q8": _by_row,
    "_Q4": _by_block,
    ".table": _table,
    ".steps": _low_bit_table,
}
_WEIGHT_OF = {".table": ".weight", ".steps": ".weight"}


def _smoothed(model: onnx.ModelProto, tensors: Tensors) -> Iterator[tuple[str, Floats]]:
    """Weights that were scaled up before int8, and by what their inputs are multiplied (see `onnx_files.smooth`)."""
    maker = {output: node for node in model.graph.node for output in node.output}
    for node in model.graph.node:
        if node.op_type != "MatMul":
            continue
        weight, given = (_origin(name, maker) for name in (node.input[1], node.input[0]))
        factor = f"{given.removesuffix('.smoothed')}.smoothing"
        if given.endswith(".smoothed") and factor in tensors:
            yield weight.removesuffix("_quantized"), tensors[factor]


def _origin(name: str, maker: dict[str, onnx.NodeProto]) -> str:
    """The tensor that was quantised, or is dequantised, to `name`."""
    while name in maker and maker[name].op_type in ("QuantizeLinear", "DequantizeLinear"):
        name = maker[name].input[0]
    return name
