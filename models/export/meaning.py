"""The reader of meaning to ONNX files and a manifest, in four bits."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from grice.models.export.column_weights import write_column_weights
from grice.models.export.layers import Heads, LowBitTable, Projection, as_heads, as_heads_transposed, from_heads, layer_norm
from grice.models.export.onnx_files import Feed, pack_graph, write_fp32, write_precision
from grice.models.export.tokenizer import pack_tokenizer
from grice.models.manifest import GRAPH, WEIGHTS, read_manifest, write_manifest
from grice.models.meaning.inputs import MeaningTokens
from grice.models.meaning.reader import OUTPUTS, MeaningReader
from grice.models.meaning.scores import SPOKEN_BY, VALUE_BY
from grice.models.meaning.sureness import INDIRECT_BY, SURE_BY
from grice.models.runtime.runtime import Runtime
from grice.models.training.checkpoint import load_checkpoint
from grice.models.training.meaning.calibration import Calibration, calibrate
from grice.models.training.meaning.evaluate import read_steps
from grice.models.training.meaning.network import JointBlock, MeaningNetwork, OptionVectors
from grice.models.training.meaning.recipe import MeaningRecipe, calibration_menus, ordinary_menus, ordinary_texts, restore
from grice.models.training.meaning.steps import Step, step_of
from grice.models.training.second_order_rounding import round_dense, round_trunk
from grice.models.training.sentence_trunk import SentenceTrunk, distance_buckets
from grice.models.training.trainer import Schedule

_BY_STATES = {**dict.fromkeys(("bias", *SPOKEN_BY), 0.0), "odds": 1.0}
UNCALIBRATED = Calibration(
    temperature=1.0,
    confidence=dict.fromkeys(("bias", *SURE_BY), 0.0),
    threshold=1.0,
    indirectness=dict.fromkeys(("bias", *INDIRECT_BY), 0.0),
    spoken=_BY_STATES,
    value=dict.fromkeys(("bias", *VALUE_BY), 0.0),
    slot_threshold=1.0,
)
MOST_SAMPLES = 100
"""Turns on which the largest channels are found."""
LONGEST = 160
"""Pieces that a text may have."""
_BY_PIECE, _BY_OPTION = ("batch", "length"), ("batch", "options")
VARYING = {
    **dict.fromkeys(("ids", "states", "own"), _BY_PIECE),
    **dict.fromkeys(("vectors", "kinds", "owners"), ("options",)),
    **dict.fromkeys(("meaning", "slot_states", "values"), _BY_OPTION),
    **dict.fromkeys(("starts", "ends"), (*_BY_OPTION, "length")),
    **dict.fromkeys(("turn_kinds", "changes", "chosen", "judged"), ("batch",)),
}
"""The first dimensions of inputs and outputs, which vary."""


class TrunkGraph(nn.Module):
    """Input: `ids` (batch, length) int64. Output: `states` (batch, length, width)."""

    positions: Tensor
    buckets: Tensor
    near: Tensor

    def __init__(self, trunk: SentenceTrunk) -> None:
        super().__init__()
        first = trunk.shape.first_position
        self.words = LowBitTable(trunk.words.weight)
        self.register_buffer("positions", trunk.positions.weight[first : first + LONGEST].detach().clone())
        self.register_buffer("buckets", distance_buckets(LONGEST, torch.device("cpu")))
        self.register_buffer("near", trunk.distances.weight.detach().clone())
        self.norm = layer_norm(trunk.norm)
        self.layers = nn.ModuleList(TrunkLayerGraph(layer) for layer in trunk.layers)

    def forward(self, ids: Tensor) -> Tensor:
        length = ids.size(1)
        state: Tensor = self.norm(self.words(ids) + self.positions[:length])
        bias = self.near[self.buckets[:length, :length]].permute(2, 0, 1)[None]
        for layer in self.layers:
            state = layer(state, bias)
        return state


class TrunkLayerGraph(nn.Module):
    """Self-attention and feed-forward, each followed by a norm."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.heads = Heads.of(layer.heads, layer.query.in_features)
        self.inputs = Projection(layer.query, layer.key, layer.value, scale_first=self.heads.scale)
        self.out, self.wide, self.narrow = Projection(layer.out), Projection(layer.wide), Projection(layer.narrow)
        self.attention_norm, self.norm = layer_norm(layer.attention_norm), layer_norm(layer.norm)

    def forward(self, state: Tensor, bias: Tensor) -> Tensor:
        query, key, value = self.inputs(state).split(self.heads.size, dim=-1)
        scores = as_heads(query, self.heads) @ as_heads_transposed(key, self.heads)
        seen = torch.softmax(scores + bias, dim=-1) @ as_heads(value, self.heads)
        state = self.attention_norm(state + self.out(from_heads(seen, self.heads)))
        normed: Tensor = self.norm(state + self.narrow(functional.gelu(self.wide(state))))
        return normed


class JointGraph(nn.Module):
    """Inputs: `states` (batch, length, width), `own` (batch, length) int64, `vectors` (options, width), `kinds` and `owners`
    (options,) int64. Outputs as `Readings` has them, those that are read at run time."""

    def __init__(self, joint: JointBlock) -> None:
        super().__init__()
        self.joint = with_projections(copy.deepcopy(joint))

    def forward(self, states: Tensor, own: Tensor, vectors: Tensor, kinds: Tensor, owners: Tensor) -> tuple[Tensor, ...]:
        readings = self.joint(states, torch.ones_like(own), own, OptionVectors(vectors, kinds, owners))
        return tuple(getattr(readings, name) for name in OUTPUTS)


def export_meaning(checkpoint: Path, out: Path, precisions: Sequence[str], version: str = "1") -> None:
    """Write `trunk.P.onnx.gz` and `joint.P.onnx.gz` for each precision P, `tokenizer.json` and `manifest.json` into `out`.

    What the reader says of its sureness is fitted to the first of these precisions, on bots that it did not learn from.

    Raises:
        ModelNotFound, WeightsError: there is no checkpoint, or none of this model.
    """
    found = load_checkpoint(checkpoint, restore)
    facts = found.facts
    recipe = MeaningRecipe(**{**facts["recipe"], "schedule": Schedule(**facts["recipe"]["schedule"])})
    steps = [step_of(menu, MeaningTokens(found.tokenizer)) for menu in ordinary_menus(recipe)]
    round_trunk(found.model.trunk, ordinary_texts(recipe, MeaningTokens(found.tokenizer)), recipe.frozen)
    round_joint(found.model, steps)
    for precision in tqdm(precisions, desc="writing", unit="precision", disable=None):
        write_graphs(found.model, out, precision, steps)
    pack_tokenizer(found.tokenizer, out)
    content: dict[str, Any] = {
        "name": "meaning",
        "version": version,
        "task": "meaning",
        "settings": asdict(UNCALIBRATED),
        "training": {name: facts[name] for name in ("recipe", "bots", "turns", "held_out", "weights") if name in facts},
    }
    write_manifest(out, content)
    reader = MeaningReader(read_manifest(out, "meaning"), Runtime("cpu", precision=precisions[0]))
    write_manifest(out, {**content, "settings": asdict(calibrate(reader, calibration_menus(recipe)))})


def round_joint(network: MeaningNetwork, steps: Sequence[Step]) -> None:
    """Round the dense layers of the joint block to four bits, for what goes through them on these steps."""
    network.eval()
    round_dense([part for part in network.joint.modules() if isinstance(part, nn.Linear)], lambda: read_steps(network, steps))


def with_projections(module: nn.Module) -> nn.Module:
    """The module with its dense layers as matrix products, which onnxruntime quantises."""
    for name, part in module.named_children():
        if isinstance(part, nn.Linear):
            setattr(module, name, Projection(part))
        else:
            with_projections(part)
    return module


def write_graphs(network: MeaningNetwork, out: Path, precision: str, steps: Sequence[Step]) -> None:
    """Write the graphs of the reader, whose dense layers were rounded to four bits: the files of int8 have them so.

    Args:
        steps: ordinary ones; on their first turns the largest channels are found, for int8.
    """
    out.mkdir(parents=True, exist_ok=True)
    samples = ordinary_feeds(network, steps[:MOST_SAMPLES]) if precision == "int8" else {}
    for part, (graph, given, outputs) in _graphs(network).items():
        with tempfile.TemporaryDirectory() as folder:
            full, written = Path(folder) / "full.onnx", Path(folder) / "written.onnx"
            write_fp32(graph, given, outputs, {name: dict(enumerate(found)) for name, found in VARYING.items()}, full)
            if precision == "int8":
                write_column_weights(full, written, out / f"{part}.int8{WEIGHTS}", samples[part])
            else:
                write_precision(full, written, precision)
            pack_graph(written, out / f"{part}.{precision}{GRAPH}")


@torch.no_grad()
def ordinary_feeds(network: MeaningNetwork, steps: Sequence[Step]) -> dict[str, list[Feed]]:
    """What goes into each graph on the first turn of each step, by graph."""
    feeds: dict[str, list[Feed]] = {"trunk": [], "joint": []}
    for step in steps:
        pieces = step.turns[0][1]
        options = network.read_options(step.texts, step.kinds, step.owners)
        own = torch.zeros(1, len(pieces.ids), dtype=torch.long)
        own[0, pieces.start : pieces.start + len(pieces.offsets)] = 1
        feeds["trunk"].append({"ids": np.array([pieces.ids], np.int64)})
        feeds["joint"].append(
            {
                "states": network.states_of([pieces.ids])[0].numpy(),
                "own": own.numpy(),
                "vectors": options.vectors.numpy(),
                "kinds": options.kinds.numpy(),
                "owners": options.owners.numpy(),
            }
        )
    return feeds


def _graphs(network: MeaningNetwork) -> dict[str, tuple[nn.Module, dict[str, Tensor], Sequence[str]]]:
    """Each part's module, inputs to trace it on, and names of its outputs."""
    width = network.trunk.shape.width
    given = {
        "states": torch.randn(2, 4, width),
        "own": torch.tensor([[0, 1, 1, 0]] * 2),
        "vectors": torch.randn(3, width),
        "kinds": torch.tensor([0, 2, 3]),
        "owners": torch.tensor([0, 1, 1]),
    }
    return {
        "trunk": (TrunkGraph(network.trunk), {"ids": torch.tensor([[0, 5, 6, 2]] * 2)}, ["states"]),
        "joint": (JointGraph(network.joint), given, OUTPUTS),
    }
