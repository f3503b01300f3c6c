"""`grice export rewriter`: a trained checkpoint to ONNX files and a manifest."""

from __future__ import annotations

import copy
import random
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from grice.models.export import bart
from grice.models.export.block_weights import write_block_weights
from grice.models.export.low_bits import write_low_bits
from grice.models.export.onnx_files import share_table, write_fp32, write_precision
from grice.models.manifest import write_manifest
from grice.models.text.template import SourceFormat
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.low_bits import BLOCK
from grice.models.training.meaning.written import read_hands
from grice.models.training.rewriter.data import RewriteExample, collate, encode
from grice.models.training.rewriter.recipe import cross_entropy, restore
from grice.models.training.second_order_rounding import round_dense

CALIBRATING = ("A", "C", "E", "QP")
"""Hands whose turns say what goes through the layers while they are rounded."""
AT_ONCE = 16
VOCABULARY = "vocabulary"
"""The output layer's name in a decoder's graph."""


def export_rewriter(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `encoder.P.onnx` and `decoder.P.onnx` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    int8 has the dense layers of the small recipe in four bits in the file; the words stay as they are.

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
            low_bits = precision == "int8" and facts["recipe"] == "small" and not model.config.d_model % BLOCK
            given = rounded_rewriter(model, found.tokenizer, SourceFormat(**facts["layout"])) if low_bits else model
            graphs = _write_graphs(given, Path(folder), small_table=precision == "int8")
            if low_bits:
                write_low_bits(graphs["encoder"], out / "encoder.int8.onnx")
                write_block_weights(graphs["decoder"], graphs["decoder"], kept=[f"{VOCABULARY}.weight"])
            for graph in ("decoder",) if low_bits else graphs:
                write_precision(graphs[graph], out / f"{graph}.{precision}.onnx", precision, by_row=graph == "decoder")
            if precision == "int8":
                share_table(out / "decoder.int8.onnx", "words", VOCABULARY)
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


def rounded_rewriter(model: nn.Module, tokenizer: Tokenizer, layout: SourceFormat, count: int = 512) -> nn.Module:
    """A copy whose dense layers have values that four bits hold, rounded for turns that were written for the reader of meaning."""
    turns = [
        turn for bots in read_hands(names=CALIBRATING).values() for bot in bots for turn in bot.turns if turn.kind == "indirect"
    ]
    chosen = sorted(random.Random(0).sample(turns, count), key=lambda turn: len(turn.text))
    examples = [encode(tokenizer, RewriteExample(turn.text, turn.history, "direct", turn.direct), layout) for turn in chosen]
    rounded = copy.deepcopy(model).eval()

    def run() -> None:
        for start in range(0, count, AT_ONCE):
            cross_entropy(rounded, collate(examples[start : start + AT_ONCE]), 0.0, torch.device("cpu"))

    round_dense([part for name, part in rounded.named_modules() if isinstance(part, nn.Linear) and name != "lm_head"], run)
    return rounded


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
