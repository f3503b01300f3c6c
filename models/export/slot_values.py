"""`grice export slot-values`: a trained resolver to ONNX files and a manifest."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from grice.models.errors import ModelNotFound
from grice.models.export.bert import SlotGraph
from grice.models.export.low_bits import write_low_bits
from grice.models.export.onnx_files import write_fp32, write_precision
from grice.models.manifest import write_manifest
from grice.models.training.low_bit_encoder import rounded_encoder
from grice.models.training.slots.model import SlotModel

INPUTS = ("ids", "positions", "segments")


def load_checkpoint(folder: Path) -> tuple[SlotModel, dict[str, Any]]:
    """The trained model in `folder` and what `training.json` says of it.

    Raises:
        ModelNotFound: there is none.
    """
    if not (folder / "training.json").is_file():
        raise ModelNotFound(str(folder), ())
    facts = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    pieces = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab_size()
    model = SlotModel(pieces, facts["recipe"]["layers"])
    model.load_state_dict(torch.load(folder / "model.pt", map_location="cpu", weights_only=True))
    return model.eval(), facts


def export_slot_values(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `reader.P.onnx` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    The weights are those of four bits in every precision; int8 also keeps them so.

    Raises:
        ModelNotFound: there is no checkpoint.
    """
    model, facts = load_checkpoint(checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    inputs = [torch.tensor([[2, 7, 8, 3]]), torch.tensor([[0, 1, 2, 3]]), torch.tensor([[0, 1, 2, 3]])]
    axes = {name: {0: "batch", 1: "length"} for name in (*INPUTS, "raw")}
    with tempfile.TemporaryDirectory() as folder:
        for precision in precisions:
            full = Path(folder) / "reader.onnx"
            small = precision == "int8"
            write_fp32(SlotGraph(model if small else rounded_encoder(model), small), inputs, INPUTS, ["raw"], axes, full)
            target = out / f"reader.{precision}.onnx"
            if small:
                write_low_bits(full, target)
            else:
                write_precision(full, target, precision)
    compact = Tokenizer.from_file(str(checkpoint / "tokenizer.json")).to_str()
    (out / "tokenizer.json").write_text(compact, encoding="utf-8")
    write_manifest(
        out,
        {
            "name": "slot_values",
            "version": version,
            "task": "slot-values",
            "settings": {name: facts[name] for name in ("temperature", "margin")},
            "training": {name: facts[name] for name in ("recipe", "questions", "held_out", "held_out_accuracy")},
        },
    )
