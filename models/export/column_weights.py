"""Graphs whose weights lie in four bits in a file beside them, and are ordinary int8 weights once they are loaded.

Such products, with one scale an output, are about twice as fast as those with blocks (`block_weights`), and the files are as small.
A few channels of an input are up to fifty times larger than the others, and one scale for a whole input would leave nothing of
these: those channels are multiplied in float, as in LLM.int8() (Dettmers et al. 2022). They are found on ordinary inputs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from grice.models.export.block_weights import DOMAIN
from grice.models.export.low_bits import packed
from grice.models.export.onnx_files import Feed, largest_by_channel
from grice.models.runtime.column_weights import EXACT, FEW, INT8, MULTIPLES, SCALE, STEPS
from grice.models.runtime.heads import save_arrays
from grice.models.training.low_bits import BLOCK, LowBits

LARGEST = 16
"""Channels of an input that are multiplied in float."""
MASK, DOUBLE, PLACES = ".mask", ".double", ".places"
"""Names of what the graph holds of a weight: 1 for channels that are int8, twice the scales, the others' places."""


def write_column_weights(source: Path, target: Path, weights: Path, samples: Sequence[Feed], kept: Collection[str] = ()) -> None:
    """The fp32 file `source` as the graph `target` and the file `weights`, with the constant weights of its products in four bits.

    Weights whose inputs are no even number of blocks, those with fewer outputs, and those named in `kept` stay as they are.

    Args:
        samples: feeds of the graph, on which the largest channels of each product's inputs are found. None: no channel is far
            larger than the others, and all are multiplied in int8.
    """
    model = onnx.load(str(source))
    tensors = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    by_weight: dict[str, list[NodeProto]] = {}
    for node in model.graph.node:
        name = node.input[1] if node.op_type == "MatMul" else ""
        if name in tensors and name not in kept and _fits(tensors[name]):
            by_weight.setdefault(name, []).append(node)  # several products may share a weight
    inputs = sorted({node.input[0] for nodes in by_weight.values() for node in nodes})
    largest = largest_by_channel(model, inputs, samples) if samples else {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, nodes in by_weight.items():
        few = _few([largest[node.input[0]] for node in nodes if samples])
        arrays |= _arrays(name, tensors[name], few)
        model.graph.initializer.extend(_tensors(name, tensors[name].shape, few, arrays[name + SCALE]))
        for node in nodes:
            place = list(model.graph.node).index(node)
            model.graph.node.remove(node)
            product = _product if samples else _plain_product
            for offset, each in enumerate(product(node.input[0], name, node.output[0])):
                model.graph.node.insert(place + offset, each)
    others = [each for each in model.graph.initializer if each.name not in by_weight]
    del model.graph.initializer[:]
    model.graph.initializer.extend(others)
    model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    target.write_bytes(model.SerializeToString())
    save_arrays(weights, arrays, halve=())


def _few(largest: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """The places of the largest channels, in order, from how large each is in the inputs of each product; without inputs none."""
    order = np.argsort(-np.max(largest, axis=0), kind="stable") if largest else np.zeros(0, np.int64)
    return np.sort(order[:LARGEST]).astype(np.int64)


def _fits(weight: NDArray[Any]) -> bool:
    return weight.ndim == 2 and weight.shape[0] % (2 * BLOCK) == 0 and weight.shape[1] >= BLOCK


def _arrays(name: str, weight: NDArray[np.float32], few: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """What lies in the file of weights."""
    bits = LowBits.exactly(torch.from_numpy(weight.T.copy()))
    return {
        name + STEPS: packed(bits.steps.flatten(1).T.numpy().astype(np.int64)),
        name + MULTIPLES: bits.multiples.T[:, None].numpy().astype(np.uint8),
        name + SCALE: bits.scale.numpy().astype(np.float32),
        name + FEW: few,
    }


def _tensors(name: str, shape: tuple[int, ...], few: NDArray[np.int64], scale: NDArray[np.float32]) -> list[TensorProto]:
    """What lies in the graph, and the names of what is given to it when it is loaded."""
    mask = np.ones(shape[0], np.float32)
    mask[few] = 0
    own: dict[str, NDArray[Any]] = {DOUBLE: 2 * scale} if not len(few) else {MASK: mask, DOUBLE: 2 * scale, PLACES: few}
    given = [_given(name + INT8, TensorProto.INT8, shape)]
    if len(few):
        given.append(_given(name + EXACT, TensorProto.FLOAT, (len(few), shape[1])))
    return [*(numpy_helper.from_array(value, name + ending) for ending, value in own.items()), *given]


def _given(name: str, kind: int, shape: Sequence[int]) -> TensorProto:
    """An initializer whose values are not in the graph's file."""
    tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="weights")
    return tensor


def _plain_product(given: str, name: str, made: str) -> list[NodeProto]:
    """`given` times a weight, in int8."""
    return [helper.make_node("DynamicQuantizeMatMul", [given, name + INT8, name + DOUBLE], [made], made, domain=DOMAIN)]


def _product(given: str, name: str, made: str) -> list[NodeProto]:
    """`given` times a weight: its largest channels in float, the rest in int8."""
    rest, few, by_int8, by_float = (f"{made}.{each}" for each in ("rest", "few", "by_int8", "by_float"))
    return [
        helper.make_node("Mul", [given, name + MASK], [rest], rest),
        helper.make_node("DynamicQuantizeMatMul", [rest, name + INT8, name + DOUBLE], [by_int8], by_int8, domain=DOMAIN),
        helper.make_node("Gather", [given, name + PLACES], [few], few, axis=-1),
        helper.make_node("MatMul", [few, name + EXACT], [by_float], by_float),
        helper.make_node("Add", [by_int8, by_float], [made], f"{made}.whole"),
    ]
