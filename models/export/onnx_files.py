"""From a torch module to ONNX files: opset 17 and IR 8, which onnxruntime 1.23 (the newest for Python 3.10) loads."""

from __future__ import annotations

import logging
import shutil
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from onnxruntime.transformers.float16 import convert_float_to_float16
from torch import Tensor, nn

from grice.models.export.smoothing import Feed, smooth
from grice.models.runtime.session import check_precision

OPSET = 17


def write_fp32(
    module: nn.Module,
    inputs: Sequence[Tensor],
    input_names: Sequence[str],
    output_names: Sequence[str],
    axes: Mapping[str, Mapping[int, str]],
    path: Path,
) -> None:
    """Trace `module` on `inputs` and write it; `axes` are the dimensions that vary, by input or output name."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the tracer warns of shapes, which the parity check covers
        torch.onnx.export(
            module.eval(),
            tuple(inputs),
            str(path),
            input_names=list(input_names),
            output_names=list(output_names),
            dynamic_axes={name: dict(axes[name]) for name in (*input_names, *output_names) if name in axes},
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
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)  # the quantisers tell of every node
    try:
        writers[precision](source, target)
    finally:
        logging.disable(level)
