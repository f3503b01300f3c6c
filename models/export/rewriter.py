"""`grice export rewriter`: a trained checkpoint to ONNX files and a manifest."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grice.models.export import bart
from grice.models.export.onnx_files import share_table, write_fp32, write_precision
from grice.models.manifest import write_manifest
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.rewriter.recipe import restore


def export_rewriter(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `encoder.P.onnx` and `decoder.P.onnx` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    Args:
        checkpoint: a folder as transformers writes it, with `tokenizer.json` and `training.json`.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint in the folder, or none of this model.
    """
    found = load_checkpoint(checkpoint, restore)
    model, facts = found.model, found.facts
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for precision in precisions:
            for graph, path in _write_graphs(model, Path(folder), small_table=precision == "int8").items():
                target = out / f"{graph}.{precision}.onnx"
                write_precision(path, target, precision, by_row=graph == "decoder")
                if graph == "decoder" and precision == "int8":
                    share_table(target, "words", "vocabulary")
    shutil.copy(checkpoint / "tokenizer.json", out / "tokenizer.json")
    write_manifest(
        out,
        {
            "name": "rewriter",
            "version": version,
            "task": "rewriting",
            "settings": _settings(model.config, facts),
            "training": facts,
        },
    )


def _settings(config: Any, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        "source": facts["layout"],
        "forms": [facts["form"]] if "form" in facts else ["direct", "indirect"],
        "uncased": facts["recipe"] == "small",
        "supported_only": facts["recipe"] == "small",
        "decoder_layers": config.decoder_layers,
        "heads": config.decoder_attention_heads,
        "width": config.d_model // config.decoder_attention_heads,
        "start_id": config.decoder_start_token_id,
        "end_id": config.eos_token_id,
        "pad_id": config.pad_token_id,
        "max_new_tokens": 64,
    }


def _write_graphs(model: Any, folder: Path, small_table: bool) -> dict[str, Path]:
    layers = model.config.decoder_layers
    heads, width = model.config.decoder_attention_heads, model.config.d_model // model.config.decoder_attention_heads
    ids, mask = torch.tensor([[2, 7, 8, 9], [2, 7, 8, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    encoder, decoder = folder / "encoder.onnx", folder / "decoder.onnx"
    crossed = bart.cross_names(layers)
    write_fp32(bart.EncoderGraph(model, small_table), {"ids": ids, "mask": mask}, crossed, bart.dynamic_axes(crossed), encoder)
    caches: list[Tensor] = []
    for _ in range(layers):
        past, source = 3, mask.size(1)
        caches += [torch.randn(2, heads, *shape) for shape in ((width, past), (past, width), (width, source), (source, width))]
    given, made = bart.cache_names(layers), bart.present_names(layers)
    write_fp32(
        bart.DecoderStep(model, small_table),
        {"ids": ids[:, :1], "mask": mask, **dict(zip(given, caches, strict=True))},
        ["log_probs", *made],
        bart.dynamic_axes([*given, *made]),
        decoder,
    )
    return {"encoder": encoder, "decoder": decoder}
