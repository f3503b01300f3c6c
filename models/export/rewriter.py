"""`grice export rewriter`: a trained checkpoint to ONNX files and a manifest."""

from __future__ import annotations

import copy
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from tqdm import tqdm

from grice.models.data import direct
from grice.models.data.files import data_dir
from grice.models.errors import DataNotFound
from grice.models.export import bart
from grice.models.export.block_weights import write_block_weights
from grice.models.export.column_weights import write_column_weights
from grice.models.export.onnx_files import pack_graph, share_table, write_fp32, write_precision
from grice.models.export.tokenizer import pack_tokenizer
from grice.models.export.word_places import give_vectors, places_of
from grice.models.manifest import GRAPH, WEIGHTS, write_manifest
from grice.models.text.template import SourceFormat
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.low_bits import BLOCK
from grice.models.training.meaning.written import read_hands
from grice.models.training.rewriter.data import Encoded, RewriteExample, collate, encode, to_direct
from grice.models.training.rewriter.recipe import cross_entropy, restore
from grice.models.training.second_order_rounding import round_dense

ROUNDING = ("A", "C", "E", "QP")
"""Hands whose turns say what goes through the layers while they are rounded, where DIRECT is not at hand."""
AT_ONCE = 16
VOCABULARY = "vocabulary"
"""The output layer's name in a decoder's graph."""


def export_rewriter(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `encoder.P.onnx.gz` and `decoder.P.onnx.gz` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    int8 has the dense layers of the small recipe in four bits in the file: the encoder's beside its graph, which reads whole
    sequences and multiplies twice as fast so, the decoder's in it, as a step is one token and its rows must not depend on each
    other. The words stay as they are, in the decoder's file alone.

    Args:
        checkpoint: a folder as transformers writes it, with `tokenizer.json` and `training.json`.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint in the folder, or none of this model.
    """
    found = load_checkpoint(checkpoint, restore)
    model, facts = found.model, found.facts
    out.mkdir(parents=True, exist_ok=True)
    words: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for precision in tqdm(precisions, desc="writing", unit="precision", disable=None):
            low_bits = precision == "int8" and facts["recipe"] == "small" and not model.config.d_model % (2 * BLOCK)
            turns = ordinary_sources(found.tokenizer, SourceFormat(**facts["layout"])) if low_bits else []
            given = rounded_rewriter(model, turns) if low_bits else model
            shared = False
            for graph, full in _write_graphs(given, Path(folder), small_table=precision == "int8").items():
                written = Path(folder) / f"{graph}.{precision}.onnx"
                if low_bits and graph == "encoder":
                    write_column_weights(full, written, out / f"{graph}.{precision}{WEIGHTS}", [])
                else:
                    if low_bits:
                        write_block_weights(full, full, kept=[f"{VOCABULARY}.weight"])
                    write_precision(full, written, precision, by_row=graph == "decoder")
                if graph == "decoder" and precision == "int8":
                    shared = share_table(written, "words", VOCABULARY)
                if graph == "encoder" and shared:
                    give_vectors(written, "words")
                pack_graph(written, out / f"{graph}.{precision}{GRAPH}")
            if shared:
                words = {"words": places_of(out / f"decoder.int8{GRAPH}", "words", VOCABULARY)}
    pack_tokenizer(found.tokenizer, out)
    write_manifest(
        out,
        {
            "name": "rewriter",
            "version": version,
            "task": "rewriting",
            "settings": {**_settings(model.config, facts), **words},
            "training": facts,
        },
    )


def ordinary_sources(tokenizer: Tokenizer, layout: SourceFormat) -> list[Encoded]:
    """Turns of `ordinary_turns` as the model reads them, the shortest first."""
    return [encode(tokenizer, example, layout) for example in sorted(ordinary_turns(), key=lambda each: len(each.text))]


def rounded_rewriter(model: nn.Module, examples: Sequence[Encoded]) -> nn.Module:
    """A copy whose dense layers have values that four bits hold, rounded for such turns."""
    rounded = copy.deepcopy(model).eval()

    def run() -> None:
        for start in range(0, len(examples), AT_ONCE):
            cross_entropy(rounded, collate(examples[start : start + AT_ONCE]), 0.0, torch.device("cpu"))

    round_dense([part for name, part in rounded.named_modules() if isinstance(part, nn.Linear) and name != "lm_head"], run)
    return rounded


def ordinary_turns(count: int = 512) -> list[RewriteExample]:
    """Turns with their direct forms: of DIRECT's training part, and without it of hands that wrote for the reader of meaning."""
    try:
        found = to_direct(direct.read(data_dir(), parts=["train"]))
    except DataNotFound:
        turns = [turn for bots in read_hands(names=ROUNDING).values() for bot in bots for turn in bot.turns]
        found = [RewriteExample(turn.text, turn.history, "direct", turn.direct) for turn in turns if turn.kind == "indirect"]
    return random.Random(0).sample(found, min(count, len(found)))


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
    return {"decoder": decoder, "encoder": encoder}
