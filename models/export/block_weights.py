"""Graphs that multiply with weights of four bits as they are (`MatMulNBits`): each block of an input's row has a scale of its own.

A few channels of a large encoder are a hundred times larger than the others. One scale for a whole input, as ordinary int8 has it,
then leaves nothing of the others; and on processors without VNNI sums of ordinary int8 products overflow. Blocks bear both.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from grice.models.training.low_bits import BLOCK, LowBits

MIDDLE = 8
"""What `MatMulNBits` takes for 0 in four bits."""
BY_INT8 = 4
"""Its accuracy level: activations in int8."""
DOMAIN = "com.microsoft"


def write_block_weights(source: Path, target: Path, kept: Collection[str] = ()) -> None:
    """The fp32 file `source` with the constant weights of its products in four bits.

    Weights whose number of inputs is no multiple of `BLOCK`, those with fewer outputs, and those named in `kept` stay as they are.
    """
    model = onnx.load(str(source))
    weights = {each.name: each for each in model.graph.initializer}
    replaced: set[str] = set()
    for node in list(model.graph.node):
        if node.op_type == "MatMul" and node.input[1] in weights:
            weight = numpy_helper.to_array(weights[node.input[1]])
            fits = weight.ndim == 2 and weight.shape[0] % BLOCK == 0 and weight.shape[1] >= BLOCK
            if fits and node.input[1] not in kept:
                if node.input[1] not in replaced:  # several products may share a weight
                    _add_blocks(model, node, weight)
                replaced.add(node.input[1])
                _replace(node, weight)
    others = [each for each in model.graph.initializer if each.name not in replaced]
    del model.graph.initializer[:]
    model.graph.initializer.extend(others)
    model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    onnx.save(model, str(target))


def _add_blocks(model: onnx.ModelProto, node: onnx.NodeProto, weight: NDArray[np.float32]) -> None:
    """Put before a product with `weight` (inputs, outputs) what its blocks are computed from."""
    name = node.input[1]
    bits = LowBits.exactly(torch.from_numpy(weight.T.copy()))
    steps = (bits.steps.numpy() + MIDDLE).astype(np.uint8)
    constants = {
        f"{name}_Q4": steps[:, :, 0::2] | (steps[:, :, 1::2] << 4),
        f"{name}_multiples": bits.multiples.numpy().astype(np.uint8),
        f"{name}_scale": bits.scale.numpy()[:, None].astype(np.float32),
        f"{name}_flat": np.array([-1], np.int64),
    }
    model.graph.initializer.extend(numpy_helper.from_array(value, own) for own, value in constants.items())
    factors, scaled, scales = f"{name}_factors", f"{name}_scaled", _scales_of(name)
    before = [
        helper.make_node("Cast", [f"{name}_multiples"], [factors], factors, to=TensorProto.FLOAT),
        helper.make_node("Mul", [factors, f"{name}_scale"], [scaled], scaled),
        helper.make_node("Reshape", [scaled, f"{name}_flat"], [scales], scales),
    ]
    place = list(model.graph.node).index(node)
    for offset, each in enumerate(before):
        model.graph.node.insert(place + offset, each)


def _scales_of(name: str) -> str:
    return f"{name}_scales"


def _replace(node: onnx.NodeProto, weight: NDArray[np.float32]) -> None:
    """Make a product with `weight` one with blocks, which were put before it."""
    name = node.input[1]
    inputs, outputs = weight.shape
    node.op_type, node.domain = "MatMulNBits", DOMAIN
    del node.input[1:]
    node.input.extend([f"{name}_Q4", _scales_of(name)])
    about = {"K": inputs, "N": outputs, "bits": 4, "block_size": BLOCK, "accuracy_level": BY_INT8}
    node.attribute.extend(helper.make_attribute(key, value) for key, value in about.items())
