"""`grice export directness`: a trained checkpoint to ONNX files and a manifest."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from grice.models.errors import ModelNotFound
from grice.models.export import bert
from grice.models.export.low_bits import write_low_bits
from grice.models.export.onnx_files import write_fp32, write_precision
from grice.models.manifest import write_manifest
from grice.models.text.template import SourceFormat
from grice.models.training.directness import DirectnessNetwork, DirectnessRecipe, empty_model


def load_checkpoint(folder: Path) -> tuple[DirectnessNetwork, dict[str, Any]]:
    """The trained model in `folder` and what `training.json` says of it.

    Raises:
        ModelNotFound: there is none.
    """
    if not (folder / "training.json").is_file():
        raise ModelNotFound(str(folder), ())
    facts = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    recipe = facts["recipe"]
    shape = replace(DirectnessRecipe(), layout=SourceFormat(**recipe["layout"]), layers=recipe["layers"])
    size = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab_size()
    model = empty_model(size, shape)
    model.load_state_dict(torch.load(folder / "model.pt", map_location="cpu", weights_only=True))
    return model.eval(), facts


def export_directness(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `encoder.P.onnx` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    int8 has the weights in four bits in the file.

    Raises:
        ModelNotFound: there is no checkpoint.
    """
    model, facts = load_checkpoint(checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    ids, ones = torch.tensor([[2, 7, 8, 9], [2, 7, 8, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    names = ["ids", "mask", "query"]
    axes = {name: {0: "batch", 1: "length"} for name in names} | {"raw": {0: "batch"}}
    with tempfile.TemporaryDirectory() as folder:
        for precision in precisions:
            full = Path(folder) / "encoder.onnx"
            small = precision == "int8"
            write_fp32(bert.DirectnessGraph(model, small), (ids, ones, ones), names, ["raw"], axes, full)
            target = out / f"encoder.{precision}.onnx"
            if small:
                write_low_bits(full, target)
            else:
                write_precision(full, target, precision)
    shutil.copy(checkpoint / "tokenizer.json", out / "tokenizer.json")
    recipe = facts["recipe"]
    write_manifest(
        out,
        {
            "name": "directness",
            "version": version,
            "task": "directness",
            "settings": {"source": recipe["layout"], "calibration": facts["calibration"]},
            "training": {"recipe": recipe, "data": "DIRECT test.csv, our train part; calibrated on our dev part"},
        },
    )
