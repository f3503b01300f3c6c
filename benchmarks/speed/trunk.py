"""The part of `grice bench speed` on the trunk of the reader of meaning: one turn of 40 pieces, in our runtime and in others.

`grice-int8` is the shipped file. The others run on the float weights that it stands for (`grice export checkpoint meaning`):
PyTorch as they are and in int8, rounded by its `quantize_dynamic`; CTranslate2 in int8; OpenVINO as they are, and in int8 with the
ranges of activations that some of the turns show, after the channels were made alike in size (SmoothQuant). OpenVINO is not among
our packages: `pip install openvino`. A table tells how near what each says is to what the float weights say.
"""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.core.systems import System, Systems
from grice.benchmarks.speed.ctranslate2_trunk import CTranslate2Trunk
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.service import METRICS
from grice.benchmarks.speed.timing import add_times, interleaved
from grice.benchmarks.stats.metrics import Array
from grice.models.dialogue import Dialogue
from grice.models.errors import ModelError
from grice.models.manifest import Manifest, read_manifest
from grice.models.meaning.inputs import MeaningTokens
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.session import Session
from grice.models.text.template import read_tokenizer

TASK = "trunk"
PIECES = 40
SAMPLES = 16
"""Turns that show OpenVINO's int8 the ranges of activations, and on which states are compared."""

TurnIds = NDArray[np.int64]
ReadTurn = Callable[[TurnIds], Array]
"""From the pieces of a turn, (1, PIECES), to its states, (1, PIECES, width)."""


@dataclass(frozen=True)
class TrunkGiven:
    """What the systems are built from.

    Attributes:
        given: dialogues that the turns are made of.

    Raises:
        ModelError: in any attribute: there is no reader of meaning, or it is damaged.
    """

    options: SpeedOptions
    given: Sequence[Dialogue]

    @cached_property
    def manifest(self) -> Manifest:
        """Of the reader of meaning."""
        return read_manifest(self.options.meaning, "meaning")

    @cached_property
    def turns(self) -> list[TurnIds]:
        """One for each dialogue: its words and, until there are enough, those of the next ones."""
        tokens = MeaningTokens(read_tokenizer(self.manifest.tokenizer_path))
        texts = [" ".join(turn.text for turn in dialogue.turns) for dialogue in self.given]
        words = [tokens.tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
        rows = []
        for start in range(len(words)):
            said = itertools.chain.from_iterable(itertools.cycle([*words[start:], *words[:start]]))
            rows.append(np.array([[tokens.begin, *itertools.islice(said, PIECES - 2), tokens.end]], np.int64))
        return rows

    @cached_property
    def trunk(self) -> Any:
        """The trunk in float weights, in PyTorch (`SentenceTrunk`)."""
        from grice.models.export.checkpoint import export_checkpoint
        from grice.models.training.checkpoint import load_checkpoint
        from grice.models.training.meaning.recipe import restore

        with tempfile.TemporaryDirectory(prefix="grice-trunk-") as folder:
            return load_checkpoint(export_checkpoint(self.options.meaning, Path(folder)), restore).model.trunk


def add_trunk(sheet: Sheet, options: SpeedOptions, asked: Sequence[str], given: Sequence[Dialogue]) -> None:
    """Take the times of the systems that were asked for; one call a turn."""
    found = TrunkGiven(options, given)
    systems, reasons = TRUNKS.build(options, found)
    for name, reason in reasons.items():
        sheet.add_unscored(TASK, name, METRICS, reason)
    if not systems:
        return
    times = interleaved(systems, found.turns, options.rounds, TASK)
    for name, taken in times.items():
        add_times(sheet, TASK, name, taken)
    if OURS in systems and len(systems) > 1:
        sheet.tables.append(_compare(times, systems, found))


def _compare(times: Mapping[str, Array], systems: Mapping[str, ReadTurn], found: TrunkGiven) -> Table:
    middle = {name: float(np.median(np.median(taken, axis=0))) for name, taken in times.items()}
    exact = _read_float(found)
    samples = found.turns[:SAMPLES]
    expected = [exact(turn) for turn in samples]
    rows: list[tuple[Cell, ...]] = [
        (name, round(middle[OURS] / middle[name], 3), round(_nearness([read(turn) for turn in samples], expected), 4))
        for name, read in systems.items()
    ]
    return Table(f"{TASK}: p50 of {OURS} divided by that of", ("system", "quotient", "cosine with float weights"), tuple(rows))


def _nearness(found: Sequence[Array], expected: Sequence[Array]) -> float:
    """The mean cosine of states, piece by piece."""
    cosines = [
        (one * other).sum(-1) / np.linalg.norm(one, axis=-1) / np.linalg.norm(other, axis=-1)
        for one, other in zip(found, expected, strict=True)
    ]
    return float(np.mean(cosines))


def _ours(found: TrunkGiven, name: str) -> ReadTurn:
    precision = "int8"
    runtime = Runtime("cpu", found.options.threads, precision, workers=1)
    manifest = found.manifest
    session = Session(manifest.graph("trunk", precision), runtime, manifest.weights("trunk", precision))
    return lambda turn: np.asarray(session.run(["states"], {"ids": turn})[0])


def _read_float(found: TrunkGiven) -> ReadTurn:
    import torch

    return _read_torch(_whole(found.trunk), torch, found.options.threads)


def _pytorch(found: TrunkGiven, name: str) -> ReadTurn:
    return _read_float(found)


def _pytorch_int8(found: TrunkGiven, name: str) -> ReadTurn:
    import torch

    quantization: Any = torch.ao.quantization
    kinds = {torch.nn.Linear: quantization.per_channel_dynamic_qconfig}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its successor is a package of its own
        rounded = quantization.quantize_dynamic(_whole(found.trunk), kinds, dtype=torch.qint8)
    return _read_torch(rounded, torch, found.options.threads)


def _read_torch(module: Any, torch: Any, threads: int) -> ReadTurn:
    torch.set_num_threads(threads)

    def read(turn: TurnIds) -> Array:
        with torch.inference_mode():
            return np.asarray(module(torch.from_numpy(turn)))

    return read


def _whole(trunk: Any) -> Any:
    """The trunk on turns that are not padded: ids (batch, length) to states."""
    import torch

    class Whole(torch.nn.Module):
        """Reads every piece."""

        def __init__(self) -> None:
            super().__init__()
            self.trunk = trunk

        def forward(self, ids: Any) -> Any:
            return self.trunk(ids, torch.ones_like(ids))

    return Whole().eval()


def _ctranslate2_int8(found: TrunkGiven, name: str) -> ReadTurn:
    return CTranslate2Trunk(found.trunk, found.options.threads, "int8").read


def _openvino_fp32(found: TrunkGiven, name: str) -> ReadTurn:
    openvino = _openvino()
    with tempfile.TemporaryDirectory(prefix="grice-openvino-") as folder:
        return _read_openvino(openvino, _write_onnx(found, Path(folder)), found.options.threads)


def _openvino_int8(found: TrunkGiven, name: str) -> ReadTurn:
    from grice.models.export.onnx_files import write_int8_with_ranges

    openvino = _openvino()
    with tempfile.TemporaryDirectory(prefix="grice-openvino-") as folder:
        full, rounded = _write_onnx(found, Path(folder)), Path(folder) / "int8.onnx"
        write_int8_with_ranges(full, rounded, [{"ids": turn} for turn in found.turns[:SAMPLES]])
        return _read_openvino(openvino, rounded, found.options.threads)


def _write_onnx(found: TrunkGiven, folder: Path) -> Path:
    import torch

    from grice.models.export.onnx_files import write_fp32

    path, axes = folder / "full.onnx", {0: "batch", 1: "length"}
    given = {"ids": torch.from_numpy(found.turns[0])}
    write_fp32(_whole(found.trunk), given, ["states"], {"ids": axes, "states": axes}, path)
    return path


def _openvino() -> Any:
    try:
        import openvino
    except ImportError as error:
        raise ModelError("OpenVINO is not installed: pip install openvino") from error
    return openvino


def _read_openvino(openvino: Any, path: Path, threads: int) -> ReadTurn:
    core = openvino.Core()
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    request = core.compile_model(core.read_model(str(path)), "CPU", settings).create_infer_request()
    return lambda turn: np.array(request.infer({0: turn})[0])


OURS = "grice-int8"
TRUNKS = Systems[TrunkGiven, ReadTurn](
    "speed",
    System(OURS, "our models as they ship", "ours", _ours),
    System("pytorch", "the float weights in PyTorch", "rival", _pytorch),
    System("pytorch-int8", "the trunk of the reader of meaning in PyTorch, int8", "rival", _pytorch_int8),
    System("ctranslate2-int8", "the same in CTranslate2, int8", "rival", _ctranslate2_int8),
    System("openvino-fp32", "the same in OpenVINO, float weights", "rival", _openvino_fp32),
    System("openvino-int8", "the same in OpenVINO, int8", "rival", _openvino_int8),
)
