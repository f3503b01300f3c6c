"""The trained joint encoder to an ONNX file for its encoder and an archive for its heads."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from grice.models.export.bert import StatesGraph
from grice.models.export.low_bits import write_low_bits
from grice.models.export.onnx_files import write_fp32
from grice.models.minds.joint_encoder import FILE, HALVED, JointHead
from grice.models.runtime.heads import save_arrays

INPUTS = ("ids", "segments")


def export_joint_encoder(model: Any, heads: Mapping[str, JointHead], tokenizer: Tokenizer, out: Path) -> Path:
    """Write `reader.int8.onnx` (four bits in the file), `reader.npz` and `tokenizer.json` of a `LowBitEncoder`; returns `out`."""
    out.mkdir(parents=True, exist_ok=True)
    inputs = [torch.tensor([[2, 7, 8, 3]]), torch.tensor([[0, 1, 2, 3]])]
    axes = {name: {0: "batch", 1: "length"} for name in (*INPUTS, "states")}
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "reader.onnx"
        write_fp32(StatesGraph(model, low_bits=True), inputs, INPUTS, ["states"], axes, full)
        write_low_bits(full, out / FILE)
    save_arrays(out / "reader.npz", heads, HALVED)
    (out / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
    return out
