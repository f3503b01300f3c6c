"""Smoothing before int8 (SmoothQuant, Xiao et al. 2023): large input channels of a product are scaled down, their weights up.

A few channels of a post-norm encoder are twenty times larger than the others. One scale for a whole input then leaves the others
few of the 256 steps; weights, which have a scale a column, bear the difference better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

SHARE = 0.75
"""How much of a channel's size goes from the inputs to the weights: the paper's alpha."""
SMALLEST = 1e-3

Feed = Mapping[str, NDArray[Any]]


def smooth(model: onnx.ModelProto, samples: Sequence[Feed]) -> None:
    """Put a multiplication before every product with constant weights, and its inverse into the weights, in place.

    Args:
        samples: feeds of the graph; the largest value of each channel is taken from them.
    """
    weights = {each.name: each for each in model.graph.initializer}
    products = [node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in weights]
    largest = _largest(model, sorted({node.input[0] for node in products}), samples)
    for node in products:
        weight = weights[node.input[1]]
        values = numpy_helper.to_array(weight)
        rows = np.maximum(np.abs(values).max(1), SMALLEST)
        scale = (np.maximum(largest[node.input[0]], SMALLEST) ** SHARE / rows ** (1 - SHARE)).astype(np.float32)
        weight.CopyFrom(numpy_helper.from_array(values * scale[:, None], weight.name))
        factor, scaled = f"{node.output[0]}.smoothing", f"{node.output[0]}.smoothed"
        model.graph.initializer.append(numpy_helper.from_array(1 / scale, factor))
        multiply = helper.make_node("Mul", [node.input[0], factor], [scaled], name=scaled)
        model.graph.node.insert(list(model.graph.node).index(node), multiply)
        node.input[0] = scaled


def _largest(model: onnx.ModelProto, names: Sequence[str], samples: Sequence[Feed]) -> dict[str, NDArray[np.float32]]:
    """The largest absolute value of each channel of the tensors called `names`."""
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = ort.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    found = [
        [np.abs(values).reshape(-1, values.shape[-1]).max(0) for values in session.run(names, dict(sample))] for sample in samples
    ]
    return {name: np.max(column, axis=0) for name, column in zip(names, zip(*found, strict=True), strict=True)}
