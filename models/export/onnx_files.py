"""From a torch module to ONNX files: opset 17 and IR 8, which onnxruntime 1.23 (the newest for Python 3.10) loads."""

from __future__ import annotations

import gzip
import logging
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from onnxruntime.transformers.float16 import convert_float_to_float16
from torch import Tensor, nn

from grice.models.runtime.runtime import check_precision
from grice.models.runtime.word_table import FOUR, STEPS_MIDDLE

OPSET = 17
SHARE = 0.75
"""How much of a channel's size goes from the inputs to the weights: the paper's alpha."""
SMALLEST = 1e-3

Feed = Mapping[str, NDArray[Any]]


def write_fp32(
    module: nn.Module, inputs: Mapping[str, Tensor], outputs: Sequence[str], axes: Mapping[str, Mapping[int, str]], path: Path
) -> None:
    """Trace `module` on `inputs`, by name and in order, and write it.

    Args:
        outputs: their names.
        axes: the dimensions that vary, by input or output name.
    """
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the tracer warns of shapes, which the parity check covers
        torch.onnx.export(
            module.eval(),
            tuple(inputs.values()),
            str(path),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={name: dict(axes[name]) for name in (*inputs, *outputs) if name in axes},
            opset_version=OPSET,
            dynamo=False,
        )


def write_int8(source: Path, target: Path) -> None:
    """`source` with int8 weights, a scale a column; activations are quantised at run time, a whole input with one scale.

    The fastest for whole sequences. What is in a batch changes the scale, so run one sequence at a time.
    """
    with tempfile.TemporaryDirectory() as folder:
        cleaned = Path(folder) / "model.onnx"
        model = onnx.load(str(source))
        del model.graph.value_info[:]
        onnx.save(model, str(cleaned))
        quantize_dynamic(
            str(cleaned),
            str(target),
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
        )


def write_int8_with_ranges(source: Path, target: Path, samples: Sequence[Feed]) -> None:
    """`source`, smoothed, with int8 weights, a scale a column, and activations within the ranges that `samples` show.

    The result of a sequence does not depend on what else is in the batch.
    """
    with tempfile.TemporaryDirectory() as folder:
        smoothed = Path(folder) / "model.onnx"
        model = onnx.load(str(source))
        smooth(model, samples)
        onnx.save(model, str(smoothed))
        quantize_static(
            str(smoothed),
            str(target),
            _Samples(samples),
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            activation_type=QuantType.QUInt8,
            extra_options={
                "MatMulConstBOnly": True,
                "OpTypesToExcludeOutputQuantization": ["MatMul"],
                "DefaultTensorType": onnx.TensorProto.FLOAT,
            },
        )


def smooth(model: onnx.ModelProto, samples: Sequence[Feed]) -> None:
    """Put a multiplication before every product with constant weights, and its inverse into the weights, in place.

    SmoothQuant (Xiao et al. 2023): a few channels of a post-norm encoder are twenty times larger than the others. One scale for a
    whole input then leaves the others few of the 256 steps; weights, which have a scale a column, bear the difference better.

    Args:
        samples: feeds of the graph; the largest value of each channel is taken from them.
    """
    weights = {each.name: each for each in model.graph.initializer}
    products = [node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in weights]
    largest = largest_by_channel(model, sorted({node.input[0] for node in products}), samples)
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


def largest_by_channel(model: onnx.ModelProto, names: Sequence[str], samples: Sequence[Feed]) -> dict[str, NDArray[np.float32]]:
    """The largest absolute value of each channel of the tensors called `names`."""
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = ort.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    found = [
        [np.abs(values).reshape(-1, values.shape[-1]).max(0) for values in session.run(names, dict(sample))] for sample in samples
    ]
    return {name: np.max(column, axis=0) for name, column in zip(names, zip(*found, strict=True), strict=True)}


class _Samples(CalibrationDataReader):  # type: ignore[misc]
    """What the quantiser runs to see the ranges of activations."""

    def __init__(self, samples: Sequence[Feed]) -> None:
        self._samples = iter(samples)

    def get_next(self) -> Feed | None:
        return next(self._samples, None)


def write_int8_by_row(source: Path, target: Path) -> None:
    """`source` with int8 weights, a scale for 128 of a column (`MatMulNBits`); each row of an input has its own scale.

    The fastest for one row, such as a decoder's step, and a row's result does not depend on the others of a batch.
    """
    settings = DefaultWeightOnlyQuantConfig(
        block_size=128, is_symmetric=True, accuracy_level=4, bits=8, op_types_to_quantize=("MatMul",)
    )
    quantizer = MatMulNBitsQuantizer(onnx.load(str(source)), algo_config=settings)
    quantizer.process()
    onnx.save(quantizer.model.model, str(target))


def share_table(path: Path, table: str, projection: str) -> bool:
    """Make the token embeddings from the weights of the output layer, which they are a coarser copy of; results stay the same.

    A file of `write_int8_by_row` then only holds by how much the two differ, in two bits a number; onnxruntime makes the table when
    it loads the model. It stays as it is where the width is not a multiple of the 128 numbers that have a scale.

    Args:
        table: the module of the embeddings (`TokenTable` in its small form).
        projection: the module of the output layer.

    Returns whether it was made so.

    Raises:
        ValueError: the embeddings are not those of the output layer.
    """
    model = onnx.load(str(path))
    found = {each.name: each for each in model.graph.initializer}
    exact, scale, steps, scales = (
        numpy_helper.to_array(found[name])
        for name in (f"{table}.table", f"{table}.scale", f"{projection}.weight_Q8", f"{projection}.weight_scales")
    )
    if exact.size != steps.size:  # the last block is not full
        return False
    rows, width = exact.shape
    factors = (scales.reshape(rows, -1, 1) / scale[:, None]).astype(np.float32)
    near = np.round((steps.astype(np.float32) - STEPS_MIDDLE) * factors).reshape(rows, width)
    differences = exact - near
    if np.abs(differences).max() > 1:
        raise ValueError(f"{path}: {table} is not {projection}")
    parts = np.split((differences + 1).astype(np.uint8), FOUR, axis=1)
    constants = {
        "differences": np.bitwise_or.reduce([part << (2 * place) for place, part in enumerate(parts)]),
        "factors": factors,
        "middle": np.array(STEPS_MIDDLE, np.float32),
        "one": np.array(1, np.float32),
        "four": np.array(FOUR, np.float32),
        "shape": np.array([rows, width], np.int64),
    }
    chain: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Cast", [f"{projection}.weight_Q8"], "plain", {"to": onnx.TensorProto.FLOAT}),
        ("Sub", ["plain", f"{table}.middle"], "centred", {}),
        ("Mul", ["centred", f"{table}.factors"], "scaled", {}),
        ("Round", ["scaled"], "rounded", {}),
        ("Reshape", ["rounded", f"{table}.shape"], "near", {}),
        ("Cast", [f"{table}.differences"], "left0", {"to": onnx.TensorProto.FLOAT}),
    ]
    for place in range(FOUR):
        chain += [
            ("Div", [f"left{place}", f"{table}.four"], f"quotient{place}", {}),
            ("Floor", [f"quotient{place}"], f"left{place + 1}", {}),
            ("Mul", [f"left{place + 1}", f"{table}.four"], f"taken{place}", {}),
            ("Sub", [f"left{place}", f"taken{place}"], f"part{place}", {}),
        ]
    chain += [
        ("Concat", [f"part{place}" for place in range(FOUR)], "together", {"axis": -1}),
        ("Sub", ["together", f"{table}.one"], "more", {}),
        ("Add", ["near", "more"], "exact", {}),
        ("Cast", ["exact"], f"{table}.table", {"to": onnx.TensorProto.INT8}),
    ]
    local = {output: f"/{table}/{output}" for _, _, output, _ in chain[:-1]}
    nodes = [
        helper.make_node(kind, [local.get(each, each) for each in given], [local.get(made, made)], f"/{table}/{number}", **about)
        for number, (kind, given, made, about) in enumerate(chain)
    ]
    kept = [each for each in model.graph.initializer if each.name != f"{table}.table"]
    kept += [numpy_helper.from_array(value, f"{table}.{name}") for name, value in constants.items()]
    after = list(model.graph.node)
    for part, content in ((model.graph.initializer, kept), (model.graph.node, [*nodes, *after])):
        del part[:]
        part.extend(content)
    onnx.save(model, str(path))
    return True


def write_fp16(source: Path, target: Path) -> None:
    """`source` in half precision, inputs and outputs still fp32, for GPU."""
    onnx.save(convert_float_to_float16(onnx.load(str(source)), keep_io_types=True), str(target))


def write_precision(source: Path, target: Path, precision: str, by_row: bool = False) -> None:
    """The fp32 file `source` in another precision (or as it is) at `target`; `by_row` chooses between the two kinds of int8.

    Raises:
        InputError: the precision is unknown.
    """
    check_precision(precision)
    writers: dict[str, Callable[[Path, Path], object]] = {
        "fp32": shutil.copy,
        "int8": write_int8_by_row if by_row else write_int8,
        "fp16": write_fp16,
    }
    with quiet():
        writers[precision](source, target)


def pack_graph(source: Path, target: Path) -> None:
    """The ONNX file `source`, packed; the same graph gives the same bytes."""
    target.write_bytes(gzip.compress(source.read_bytes(), mtime=0))


@contextmanager
def quiet() -> Iterator[None]:
    """Without the log of the quantisers, who tell of every node."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(level)
