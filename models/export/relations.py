"""The reader of relations to one ONNX file and a manifest, in four bits."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from grice.models.export.block_weights import write_block_weights
from grice.models.export.layers import LowBitTable, Projection, TokenTable, as_heads, as_heads_transposed, from_heads, layer_norm
from grice.models.export.meaning import TrunkLayerGraph
from grice.models.export.onnx_files import pack_graph, write_fp32, write_precision
from grice.models.manifest import GRAPH, read_manifest, write_manifest
from grice.models.relations.inputs import MOST_CONTEXT, MOST_RESPONSE, RESPONSE_KIND, RelationTokens
from grice.models.relations.reader import OUTPUTS, RelationReader
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.low_bits import LowBits
from grice.models.training.relations.calibration import UNCALIBRATED, calibrate
from grice.models.training.relations.evaluate import judge
from grice.models.training.relations.network import POINTER, RelationNetwork
from grice.models.training.relations.recipe import divide, recipe_of, restore
from grice.models.training.relations.samples import RelationSample
from grice.models.training.second_order_rounding import round_dense

PLACES = MOST_CONTEXT + MOST_RESPONSE + 2
"""Positions that are kept."""
ROUNDED_FOR = 60
"""Contexts that weights are rounded for."""
MOST_READ = 256
"""Pieces of context that are read at run time."""
VARYING = {
    **{name: {1: "length"} for name in ("ids", "kinds", "ages")},
    **{name: {0: "responses", 1: "own_length"} for name in ("response_ids", "response_mask", "own")},
    **{name: {0: "responses"} for name in ("bad", "labels")},
    "context": {0: "responses", 1: "length"},
}


class RelationGraph(nn.Module):
    """One context and its responses.

    Inputs, int64: `ids`, `kinds`, `ages` (1, length); `response_ids`, `response_mask` (responses, own length). Outputs as
    `RelationScores` of the network has them.
    """

    def __init__(self, network: RelationNetwork) -> None:
        super().__init__()
        trunk = network.trunk
        self.frozen = network.frozen
        self.words = LowBitTable(trunk.words.weight)
        self.positions = TokenTable(trunk.positions.weight[:PLACES], True)
        self.kinds, self.ages = TokenTable(network.kinds.weight, False), TokenTable(network.ages.weight, False)
        self.norm = layer_norm(trunk.norm)
        self.layers = nn.ModuleList(TrunkLayerGraph(layer) for layer in trunk.layers)
        self.whole, self.bad, self.labels = (Projection(each) for each in (network.whole, network.bad, network.labels))
        self.setting, self.own = Projection(network.setting), Projection(network.own)
        self.asks, self.answers = Projection(network.asks), Projection(network.answers)

    def forward(self, ids: Tensor, kinds: Tensor, ages: Tensor, response_ids: Tensor, response_mask: Tensor) -> tuple[Tensor, ...]:
        places = torch.cumsum(torch.ones_like(ids), 1) - 1
        behind = torch.cumsum(torch.ones_like(response_ids), 1) - 1 + ids.size(1)
        context = self.norm(self.words(ids) + self.positions(places))
        response = self.norm(self.words(response_ids) + self.positions(behind))
        there = response_mask.to(torch.float32)
        seen = torch.zeros_like(ids, dtype=torch.float32).expand(response_ids.size(0), -1)
        hidden = torch.cat([seen, 1 - there], 1)[:, None, None] * -1e4
        for number, layer in enumerate(self.layers):
            if number == self.frozen:
                context = context + self.kinds(kinds) + self.ages(ages)
                response = response + self.kinds(response_ids * 0 + RESPONSE_KIND)
            context, response = _run(layer, context, response, hidden, number == len(self.layers) - 1)
        weights = there[:, :, None]
        mean = (response * weights).sum(1) / weights.sum(1)
        whole = functional.gelu(self.whole(torch.cat([response[:, 0], mean], 1)))
        pointed = self.asks(whole) @ self.answers(context)[0].transpose(0, 1) / POINTER**0.5
        own = self.own(response)[:, :, 0] + (1 - there) * -1e4
        return self.bad(whole)[:, 0], self.labels(whole), self.setting(context.mean(1)), pointed, own


HEADS = ("whole", "bad", "labels", "setting", "asks", "answers", "own")
"""The dense parts beside the layers, by the names that they have in the network too."""


def _run(layer: Any, context: Tensor, response: Tensor, hidden: Tensor, last: bool) -> tuple[Tensor, Tensor]:
    """A layer on context and responses; after the last nobody reads the context's state anew."""
    heads = layer.heads
    query, key, value = layer.inputs(context).split(heads.size, dim=-1)
    asked, own_key, own_value = layer.inputs(response).split(heads.size, dim=-1)
    keys, values = as_heads_transposed(key, heads), as_heads(value, heads)
    count = response.size(0)
    all_keys = torch.cat([keys.expand(count, -1, -1, -1), as_heads_transposed(own_key, heads)], 3)
    all_values = torch.cat([values.expand(count, -1, -1, -1), as_heads(own_value, heads)], 2)
    beside = torch.softmax(as_heads(asked, heads) @ all_keys + hidden, dim=-1) @ all_values
    response = _after(layer, response, from_heads(beside, heads))
    if last:
        return context, response
    seen = torch.softmax(as_heads(query, heads) @ keys, dim=-1) @ values
    return _after(layer, context, from_heads(seen, heads)), response


def _after(layer: Any, state: Tensor, mixed: Tensor) -> Tensor:
    state = layer.attention_norm(state + layer.out(mixed))
    found: Tensor = layer.norm(state + layer.narrow(functional.gelu(layer.wide(state))))
    return found


def export_relations(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `reader.P.onnx.gz` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    Curves and thresholds are fitted to the first of these precisions, on contexts that it did not learn from.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint, or none of this model.
    """
    found = load_checkpoint(checkpoint, restore)
    recipe = recipe_of(found.facts)
    material = divide(recipe)
    round_relations(found.model, material.train[:: max(1, len(material.train) // ROUNDED_FOR)], RelationTokens(found.tokenizer))
    for precision in precisions:
        write_relation_graph(found.model, out, precision)
    (out / "tokenizer.json").write_text(found.tokenizer.to_str(), encoding="utf-8")
    content: dict[str, Any] = {
        "name": "relations",
        "version": version,
        "task": "relations",
        "settings": {"most_context": MOST_READ, "encoder": load_sentence_encoder().identity, **UNCALIBRATED},
        "training": {
            name: found.facts[name] for name in ("recipe", "contexts", "responses", "held_out", "weights") if name in found.facts
        },
    }
    write_manifest(out, content)
    reader = RelationReader(read_manifest(out, "relations"), Runtime("cpu", precision=precisions[0]))
    settings = {**content["settings"], **calibrate(reader, material.dev)}
    write_manifest(out, {**content, "settings": settings})


def round_relations(network: RelationNetwork, samples: Sequence[RelationSample], tokens: RelationTokens) -> None:
    """Round table and dense layers to four bits, for what goes through them on these samples."""
    network.eval()
    with torch.no_grad():
        network.trunk.words.weight.copy_(LowBits.exactly(network.trunk.words.weight).weight)
    dense = [part for part in network.modules() if isinstance(part, nn.Linear)]
    round_dense(dense, lambda: judge(network, samples, tokens, half=False))


def write_relation_graph(network: RelationNetwork, out: Path, precision: str) -> None:
    """Write the graph of a network whose dense layers were rounded to four bits: the file of int8 has them so."""
    out.mkdir(parents=True, exist_ok=True)
    given = {
        **dict.fromkeys(("kinds", "ages"), torch.tensor([[0, 3, 4, 4, 3]])),
        "ids": torch.tensor([[3, 5, 3, 6, 7]]),
        "response_ids": torch.tensor([[2, 5, 6, 3]] * 3),
        "response_mask": torch.tensor([[1, 1, 1, 1]] * 3),
    }
    names = ("ids", "kinds", "ages", "response_ids", "response_mask")
    with tempfile.TemporaryDirectory() as folder:
        full, written = Path(folder) / "full.onnx", Path(folder) / "written.onnx"
        write_fp32(RelationGraph(network), {name: given[name] for name in names}, OUTPUTS, VARYING, full)
        if precision == "int8":
            write_block_weights(full, written)
        else:
            write_precision(full, written, precision)
        pack_graph(written, out / f"reader.{precision}{GRAPH}")
