"""`grice export slot-values`: a trained resolver to ONNX files and a manifest."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from grice.models.errors import ModelNotFound
from grice.models.export.bert import SlotGraph
from grice.models.export.onnx_files import write_fp32, write_int8_with_ranges, write_precision
from grice.models.export.smoothing import Feed
from grice.models.manifest import write_manifest
from grice.models.slot_inputs import SEGMENTS
from grice.models.training.slot_values import SlotModel

INPUTS = ("states", "segments", "mask", "clues")


def load_checkpoint(folder: Path) -> tuple[SlotModel, dict[str, Any]]:
    """The trained model in `folder` and what `training.json` says of it.

    Raises:
        ModelNotFound: there is none.
    """
    if not (folder / "training.json").is_file():
        raise ModelNotFound(str(folder), ())
    facts = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    model = SlotModel(len(facts["recipe"]["layers"]))
    model.load_state_dict(torch.load(folder / "model.pt", map_location="cpu", weights_only=True))
    return model.eval(), facts


def export_slot_values(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `layers.P.onnx` for each precision P and `manifest.json` into `out`.

    Raises:
        ModelNotFound: there is no checkpoint.
    """
    model, facts = load_checkpoint(checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    samples = _samples(checkpoint)
    axes = {name: {0: "batch", 1: "length"} for name in INPUTS[:3]} | {"clues": {0: "batch"}, "raw": {0: "batch"}}
    inputs = [torch.from_numpy(samples[0][name]) for name in INPUTS]
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "layers.onnx"
        write_fp32(SlotGraph(model, SEGMENTS.index("hypothesis")), inputs, INPUTS, ["raw"], axes, full)
        for precision in precisions:
            target = out / f"layers.{precision}.onnx"
            if precision == "int8":
                write_int8_with_ranges(full, target, samples)
            else:
                write_precision(full, target, precision)
    write_manifest(
        out,
        {
            "name": "slot_values",
            "version": version,
            "task": "slot-values",
            "settings": {name: facts[name] for name in ("encoder", "temperature", "margin")},
            "training": {name: facts[name] for name in ("recipe", "questions", "held_out", "held_out_accuracy")},
        },
    )


def _samples(checkpoint: Path) -> list[Feed]:
    """The batches that training left for this."""
    with np.load(checkpoint / "samples.npz") as stored:
        count = len([name for name in stored.files if name.startswith("states")])
        return [
            {name: stored[f"{name}{number}"].astype(np.float32 if name in ("states", "clues") else np.int64) for name in INPUTS}
            for number in range(count)
        ]
