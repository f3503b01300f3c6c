"""`grice export sentence-encoder`: a trained checkpoint to ONNX files and a manifest."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import BertModel

from grice.models.errors import ModelNotFound
from grice.models.export import bert
from grice.models.export.onnx_files import write_fp32, write_int8_with_ranges, write_precision
from grice.models.export.smoothing import Feed
from grice.models.manifest import write_manifest
from grice.models.sentence_encoder.encoder import padded
from grice.models.training import warm_start
from grice.models.training.sentence_encoder.recipe import empty_model


def load_checkpoint(folder: Path) -> tuple[BertModel, dict[str, Any]]:
    """The trained model in `folder` and what `training.json` says of it.

    Raises:
        ModelNotFound: there is none.
    """
    if not (folder / "training.json").is_file():
        raise ModelNotFound(str(folder), ())
    facts = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    size = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab_size()
    model = empty_model(size, len(facts["recipe"]["layers"]), facts["recipe"]["max_tokens"])
    model.load_state_dict(torch.load(folder / "model.pt", map_location="cpu", weights_only=True))
    return model.eval(), facts


def export_sentence_encoder(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `encoder.P.onnx` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    Raises:
        ModelNotFound: there is no checkpoint.
    """
    model, facts = load_checkpoint(checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    ids, ones = torch.tensor([[2, 7, 8, 3], [2, 7, 3, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    names = ["ids", "mask"]
    outputs = ["vector"]
    axes = {name: {0: "batch", 1: "length"} for name in names} | {"vector": {0: "batch"}}
    with tempfile.TemporaryDirectory() as folder:
        for precision in precisions:
            full = Path(folder) / "encoder.onnx"
            write_fp32(bert.SentenceGraph(model, small_table=precision == "int8"), (ids, ones), names, outputs, axes, full)
            target = out / f"encoder.{precision}.onnx"
            if precision == "int8":
                write_int8_with_ranges(full, target, _samples(checkpoint))
            else:
                write_precision(full, target, precision)
    shutil.copy(checkpoint / "tokenizer.json", out / "tokenizer.json")
    recipe = facts["recipe"]
    write_manifest(
        out,
        {
            "name": "sentence_encoder",
            "version": version,
            "task": "sentence-embedding",
            "settings": {"max_tokens": recipe["max_tokens"], "width": warm_start.WIDTH},
            "training": {
                "recipe": recipe,
                "data": f"{facts['texts']} texts of dialogue data, without labels; teacher all-MiniLM-L6-v2",
                "held_out_cosine": facts["held_out_cosine"],
            },
        },
    )


def _samples(checkpoint: Path) -> list[Feed]:
    """The texts that training left for this, one a feed."""
    rows = json.loads((checkpoint / "samples.json").read_text(encoding="utf-8"))
    return [dict(zip(("ids", "mask"), padded([row]), strict=True)) for row in rows]
