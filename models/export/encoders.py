"""Trained encoders to ONNX files and manifests: directness, sentence encoder, slot values, and the mind model's joint encoder."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from tqdm import tqdm

from grice.models.export import bert
from grice.models.export.low_bits import write_low_bits
from grice.models.export.onnx_files import Feed, pack_graph, write_fp32, write_int8_with_ranges, write_precision
from grice.models.export.tokenizer import pack_tokenizer
from grice.models.export.word_places import places_of
from grice.models.manifest import GRAPH, write_manifest
from grice.models.minds.joint_encoder import FILE, HALVED, JointHead
from grice.models.runtime.heads import save_arrays
from grice.models.sentence_encoder.encoder import padded
from grice.models.training import directness, warm_start
from grice.models.training.checkpoint import Checkpoint, load_checkpoint
from grice.models.training.low_bit_encoder import rounded_encoder
from grice.models.training.sentence_encoder import recipe as sentence_encoder
from grice.models.training.slots import model as slot_values

Write = Callable[[Path, Path], object]
"""From an fp32 file to the one that is kept."""

_TRACED = torch.tensor([[0, 1, 2, 3], [0, 1, 2, 3]]), torch.ones(2, 4, dtype=torch.int64)
"""What graphs are traced on: numbers that are ids, positions and segments, and masks."""


def export_directness(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `encoder.P.onnx.gz` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    int8 has the weights in four bits in the file.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint, or none of this model.
    """
    found = load_checkpoint(checkpoint, directness.restore)
    for precision in tqdm(precisions, desc="writing", unit="precision", disable=None):
        graph, write = bert.DirectnessGraph(found.model, precision == "int8"), _writer(precision, write_low_bits)
        _write_graph(graph, _Ends(("ids", "mask", "query"), "raw"), out / f"encoder.{precision}{GRAPH}", write)
    recipe = found.facts["recipe"]
    _finish(
        found,
        out,
        {
            "name": "directness",
            "version": version,
            "task": "directness",
            "settings": {"source": recipe["layout"], "calibration": found.facts["calibration"]},
            "training": {"recipe": recipe, "data": "DIRECT test.csv, our train part; calibrated on our dev part"},
        },
    )


def export_sentence_encoder(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `encoder.P.onnx.gz` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint, or none of this model.
    """
    found = load_checkpoint(checkpoint, sentence_encoder.restore)
    for precision in tqdm(precisions, desc="writing", unit="precision", disable=None):
        small = functools.partial(write_int8_with_ranges, samples=_samples(checkpoint))
        graph, write = bert.SentenceGraph(found.model, precision == "int8"), _writer(precision, small)
        _write_graph(graph, _Ends(("ids", "mask"), "vector"), out / f"encoder.{precision}{GRAPH}", write)
    recipe = found.facts["recipe"]
    _finish(
        found,
        out,
        {
            "name": "sentence_encoder",
            "version": version,
            "task": "sentence-embedding",
            "settings": {"max_tokens": recipe["max_tokens"], "width": warm_start.WIDTH, **_words_of(out)},
            "training": {name: found.facts[name] for name in ("recipe", "data", "held_out_cosine")},
        },
    )


def _words_of(out: Path) -> dict[str, Any]:
    """Where the table of pieces lies in the int8 file; nothing without that file."""
    path = out / f"encoder.int8{GRAPH}"
    return {"words": places_of(path, "states.words")} if path.is_file() else {}


def export_slot_values(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `reader.P.onnx.gz` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    The weights are those of four bits in every precision; int8 also keeps them so.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint, or none of this model.
    """
    found = load_checkpoint(checkpoint, slot_values.restore)
    for precision in tqdm(precisions, desc="writing", unit="precision", disable=None):
        small = precision == "int8"
        graph = bert.SlotGraph(found.model if small else rounded_encoder(found.model), small)
        write = _writer(precision, write_low_bits)
        ends = _Ends(("ids", "positions", "segments"), "raw", by_piece=True)
        _write_graph(graph, ends, out / f"reader.{precision}{GRAPH}", write)
    _finish(
        found,
        out,
        {
            "name": "slot_values",
            "version": version,
            "task": "slot-values",
            "settings": {name: found.facts[name] for name in ("temperature", "margin")},
            "training": {name: found.facts[name] for name in ("recipe", "questions", "held_out", "held_out_accuracy")},
        },
    )


def export_joint_encoder(model: Any, heads: Mapping[str, JointHead], tokenizer: Tokenizer, out: Path) -> Path:
    """Write `reader.int8.onnx.gz` (four bits), `reader.npz` and `tokenizer.json` of a `LowBitEncoder`; returns `out`."""
    ends = _Ends(("ids", "segments"), "states", by_piece=True)
    _write_graph(bert.StatesGraph(model, low_bits=True), ends, out / FILE, write_low_bits)
    save_arrays(out / "reader.npz", heads, HALVED)
    (out / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
    return out


def _writer(precision: str, small: Write) -> Write:
    return small if precision == "int8" else functools.partial(write_precision, precision=precision)


@dataclass(frozen=True)
class _Ends:
    """Inputs of a graph, each of shape (batch, length), and its output, whose shape begins with batch, and `by_piece` length."""

    inputs: Sequence[str]
    output: str
    by_piece: bool = False


def _write_graph(graph: nn.Module, ends: _Ends, target: Path, write: Write) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    numbers, ones = _TRACED
    given = {name: ones if name in ("mask", "query") else numbers for name in ends.inputs}
    axes = {name: {0: "batch", 1: "length"} for name in ends.inputs}
    axes[ends.output] = {0: "batch", 1: "length"} if ends.by_piece else {0: "batch"}
    with tempfile.TemporaryDirectory() as folder:
        full, small = Path(folder) / "model.onnx", Path(folder) / "small.onnx"
        write_fp32(graph, given, [ends.output], axes, full)
        write(full, small)
        pack_graph(small, target)


def _finish(found: Checkpoint[Any], out: Path, content: dict[str, Any]) -> None:
    """Write what stands beside the graphs."""
    pack_tokenizer(found.tokenizer, out)
    if "weights" in found.facts:
        content["training"]["weights"] = found.facts["weights"]
    write_manifest(out, content)


def _samples(checkpoint: Path) -> list[Feed]:
    """The texts that training left for this, one a feed."""
    rows = json.loads((checkpoint / "samples.json").read_text(encoding="utf-8"))
    return [dict(zip(("ids", "mask"), padded([row]), strict=True)) for row in rows]
