"""ONNX sessions: one way to choose the execution provider and the threads."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from grice.models.errors import ProviderError, WeightsError
from grice.models.runtime.column_weights import unpack_column_weights
from grice.models.runtime.pause import pause
from grice.models.runtime.runtime import Runtime

SHORT_NAMES = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
AUTO_ORDER = ("CUDAExecutionProvider", "CPUExecutionProvider")


def choose_provider(name: str) -> str:
    """The full name of an execution provider: `auto` takes the best that is there, any other must be there.

    Raises:
        ProviderError: it is not available; says which are.
    """
    available = ort.get_available_providers()
    if name == "auto":
        return next(provider for provider in AUTO_ORDER if provider in available)
    full = SHORT_NAMES.get(name.lower(), name)
    if full not in available:
        raise ProviderError(name, available)
    return full


class Session:
    """The packed model at `path` (`.onnx.gz`), ready to run. Threads do not spin while idle, so a waiting service costs nothing.

    Args:
        weights: the file of its weights, where they do not lie in the graph's (`grice.models.runtime.column_weights`).

    Attributes:
        provider: the full name of the execution provider.
        shapes: the shape of each input and output, by name; a dimension that varies has a name.

    Raises:
        ProviderError: the provider is not available.
        WeightsError: onnxruntime cannot read the files.
    """

    def __init__(self, path: Path, runtime: Runtime = Runtime(), weights: Path | None = None) -> None:
        self.path = path
        self.provider = choose_provider(runtime.provider)
        self._session = _open(path, self.provider, runtime.threads, weights)
        self.shapes = {each.name: tuple(each.shape) for each in (*self._session.get_inputs(), *self._session.get_outputs())}

    def run(self, outputs: Sequence[str], feed: Mapping[str, Any]) -> list[Any]:
        """The outputs for these inputs.

        Raises:
            WeightsError: onnxruntime cannot run it on them.
            Stopped: nobody wants them any more (`grice.models.runtime.pause`).
        """
        pause()
        try:
            found: list[Any] = self._session.run(outputs, feed)
        except Exception as error:  # onnxruntime raises its own untyped errors
            raise WeightsError(f"{self.path}: onnxruntime cannot run it; its manifest may be another model's: {error}") from error
        return found


def read_graph(path: Path) -> bytes:
    """The ONNX model that is packed in a file.

    Raises:
        WeightsError: the file cannot be read, or is not packed.
    """
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise WeightsError(f"{path}: cannot be unpacked: {error}; install or export it again") from error


def _open(path: Path, provider: str, threads: int, weights: Path | None) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    graph = read_graph(path)
    unpacked = unpack_column_weights(weights) if weights else {}
    try:
        if unpacked:
            values = [ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(each)) for each in unpacked.values()]
            options.add_external_initializers(list(unpacked), values)
        return ort.InferenceSession(graph, options, providers=[provider])
    except Exception as error:  # onnxruntime raises its own untyped errors
        raise WeightsError(f"{path}: onnxruntime cannot load it: {error}") from error
