"""The reader of relations to one ONNX file and a manifest, in four bits."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from grice.models.export.column_weights import write_column_weights
from grice.models.export.layers import Projection, TokenTable, as_heads, as_heads_transposed, from_heads, layer_norm
from grice.models.export.meaning import TrunkLayerGraph
from grice.models.export.onnx_files import Feed, pack_graph, write_fp32, write_precision
from grice.models.manifest import GRAPH, WEIGHTS, read_manifest, write_manifest
from grice.models.relations.inputs import MOST_CONTEXT, MOST_RESPONSE, RESPONSE_KIND, RelationTokens
from grice.models.relations.reader import OUTPUTS, RelationReader
from grice.models.runtime.runtime import Runtime
from grice.models.sentence_encoder.encoder import load_sentence_encoder
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.relations.calibration import UNCALIBRATED, calibrate
from grice.models.training.relations.evaluate import judge
from grice.models.training.relations.network import POINTER, RelationNetwork, batch_of
from grice.models.training.relations.people import read_people
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
    **{name: {1: "length"} for name in ("words", "kinds", "ages")},
    **{name: {0: "responses", 1: "own_length"} for name in ("response_words", "response_mask", "own")},
    **{name: {0: "responses"} for name in ("bad", "labels")},
    "context": {0: "responses", 1: "length"},
}


class RelationGraph(nn.Module):
    """One context and its responses.

    Inputs: `words` (1, length, width), the vectors of pieces, with `kinds` and `ages` (1, length) int64; `response_words`
    (responses, own length, width) with `response_mask` (responses, own length) int64. Outputs as `RelationScores` of the network
    has them. The table of pieces is that of the sentence encoder, and stays in its file.
    """

    def __init__(self, network: RelationNetwork) -> None:
        super().__init__()
        trunk = network.trunk
        self.frozen = network.frozen
        self.positions = TokenTable(trunk.positions.weight[:PLACES], True)
        self.kinds, self.ages = TokenTable(network.kinds.weight, False), TokenTable(network.ages.weight, False)
        self.norm = layer_norm(trunk.norm)
        self.layers = nn.ModuleList(TrunkLayerGraph(layer) for layer in trunk.layers)
        self.whole, self.bad, self.labels = (Projection(each) for each in (network.whole, network.bad, network.labels))
        self.setting, self.own = Projection(network.setting), Projection(network.own)
        self.asks, self.answers = Projection(network.asks), Projection(network.answers)

    def forward(
        self, words: Tensor, kinds: Tensor, ages: Tensor, response_words: Tensor, response_mask: Tensor
    ) -> tuple[Tensor, ...]:
        places = torch.cumsum(torch.ones_like(kinds), 1) - 1
        behind = torch.cumsum(torch.ones_like(response_mask), 1) - 1 + kinds.size(1)
        context = self.norm(words + self.positions(places))
        response = self.norm(response_words + self.positions(behind))
        there = response_mask.to(torch.float32)
        seen = torch.zeros_like(kinds, dtype=torch.float32).expand(response_mask.size(0), -1)
        hidden = torch.cat([seen, 1 - there], 1)[:, None, None] * -1e4
        for number, layer in enumerate(self.layers):
            if number == self.frozen:
                context = context + self.kinds(kinds) + self.ages(ages)
                response = response + self.kinds(response_mask * 0 + RESPONSE_KIND)
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
    """Write `reader.P.onnx.gz` for each precision P and `manifest.json` into `out`.

    Curves and thresholds are fitted to the first of these precisions, on hands that it did not learn from and people's replies.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint, or none of this model.
    """
    found = load_checkpoint(checkpoint, restore)
    recipe = recipe_of(found.facts)
    material = divide(recipe)
    ordinary, tokens = material.train[:: max(1, len(material.train) // ROUNDED_FOR)], RelationTokens(found.tokenizer)
    round_relations(found.model, ordinary, tokens)
    for precision in tqdm(precisions, desc="writing", unit="precision", disable=None):
        write_relation_graph(found.model, out, precision, ordinary_feeds(found.model, ordinary, tokens))
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
    settings = {**content["settings"], **calibrate(reader, material.calibration, read_people(checkpoint))}
    write_manifest(out, {**content, "settings": settings})


def round_relations(network: RelationNetwork, samples: Sequence[RelationSample], tokens: RelationTokens) -> None:
    """Round dense layers to four bits, for what goes through them on these samples."""
    network.eval()
    dense = [part for part in network.modules() if isinstance(part, nn.Linear)]
    round_dense(dense, lambda: judge(network, samples, tokens, half=False))


@torch.no_grad()
def ordinary_feeds(network: RelationNetwork, samples: Sequence[RelationSample], tokens: RelationTokens) -> list[Feed]:
    """What goes into the graph for each sample."""
    words = network.trunk.words
    batches = [
        batch_of([tokens.read_context(each.spans)], [[tokens.read_response(said.text) for said in each.responses]])
        for each in samples
    ]
    return [
        {
            "words": words(batch.ids).numpy(),
            "kinds": batch.kinds.numpy(),
            "ages": batch.ages.numpy(),
            "response_words": words(batch.response_ids).numpy(),
            "response_mask": batch.response_mask.numpy(),
        }
        for batch in batches
    ]


def write_relation_graph(network: RelationNetwork, out: Path, precision: str, samples: Sequence[Feed]) -> None:
    """Write the graph of a network whose dense layers were rounded to four bits: the file of int8 has them so.

    Args:
        samples: ordinary feeds; on them the largest channels are found, for int8.
    """
    out.mkdir(parents=True, exist_ok=True)
    given = {
        **dict.fromkeys(("kinds", "ages"), torch.tensor([[0, 3, 4, 4, 3]])),
        "words": torch.ones(1, 5, network.trunk.shape.width),
        "response_words": torch.ones(3, 4, network.trunk.shape.width),
        "response_mask": torch.tensor([[1, 1, 1, 1]] * 3),
    }
    names = ("words", "kinds", "ages", "response_words", "response_mask")
    with tempfile.TemporaryDirectory() as folder:
        full, written = Path(folder) / "full.onnx", Path(folder) / "written.onnx"
        write_fp32(RelationGraph(network), {name: given[name] for name in names}, OUTPUTS, VARYING, full)
        if precision == "int8":
            write_column_weights(full, written, out / f"reader.int8{WEIGHTS}", samples)
        else:
            write_precision(full, written, precision)
        pack_graph(written, out / f"reader.{precision}{GRAPH}")
