"""`grice export checkpoint`: a shipped model back to a float checkpoint, as training writes it and the exporters read it.

The weights are dequantised: what int8 or four bits lost is lost. The facts and the manifest of the checkpoint say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import BartConfig, BartForConditionalGeneration

from grice.models.errors import InputError
from grice.models.export.dequantise import read_weights
from grice.models.export.layers import Heads
from grice.models.export.meaning import LONGEST
from grice.models.export.relations import HEADS as RELATION_HEADS
from grice.models.export.relations import PLACES
from grice.models.manifest import GRAPH, Manifest, read_manifest, shipped, write_manifest
from grice.models.minds.joint_encoder import JOINT_HEADS, JointHead
from grice.models.runtime.heads import load_arrays
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.word_table import read_word_table
from grice.models.sentence_encoder.encoder import load_encoder_of
from grice.models.text.template import read_tokenizer
from grice.models.training import warm_start
from grice.models.training.checkpoint import FACTS, TOKENIZER, WEIGHTS, Facts, save_checkpoint
from grice.models.training.meaning.network import JointBlock
from grice.models.training.minds import chats
from grice.models.training.minds.joint_encoder import FASTER
from grice.models.training.relations.recipe import shape_of
from grice.models.training.sentence_encoder.recipe import SAMPLES
from grice.models.training.sentence_trunk import BUCKETS, SHAPES
from grice.models.training.vocabulary import CLS, SEP

GraphWeights = Mapping[str, NDArray[np.float32]]
TorchState = dict[str, Tensor]

_BERT_HEADS = Heads.of(warm_start.HEADS, warm_start.WIDTH)


def export_checkpoint(name: str | Path, out: Path) -> Path:
    """Write the model of that name, or in that folder, as a float checkpoint into `out`; returns `out`.

    Heads that were never quantised (behaviors, intentions) are written with all their arrays in fp32.

    Raises:
        ModelNotFound, WeightsError: there is no such model, or it is damaged.
        InputError: it is of a task that has no checkpoint.
    """
    dashed = isinstance(name, str) and name.replace("-", "_") in shipped()
    manifest = read_manifest(str(name).replace("-", "_") if dashed else name)
    if manifest.task not in _WRITERS:
        raise InputError("task of the model", manifest.task, ", ".join(_WRITERS))
    precision = "int8" if "int8" in manifest.precisions else "fp32"
    source = ", ".join(sorted(file for file in manifest.files if file.endswith((f".{precision}{GRAPH}", ".npz"))))
    origin = f"dequantised from {manifest.name} {manifest.version} ({source}): what was rounded stays rounded"
    out.mkdir(parents=True, exist_ok=True)
    _WRITERS[manifest.task](manifest, precision, out, {"weights": origin})
    content = {"name": manifest.name, "version": manifest.version, "task": f"checkpoint-{manifest.task}"}
    write_manifest(out, {**content, "training": {"weights": origin, "files": manifest.files}})
    return out


def _write_directness(manifest: Manifest, precision: str, out: Path, facts: Facts) -> None:
    weights = read_weights(manifest.graph("encoder", precision))
    state = {f"encoder.{name}": value for name, value in _bert(weights, "states.").items()}
    state |= {"head.weight": _turned(weights["head.weight"]), "head.bias": _tensor(weights["head.bias"])}
    recipe, calibration = manifest.training["recipe"], manifest.settings["calibration"]
    _write_state(manifest, out, state, {"recipe": recipe, "calibration": calibration, **facts})


def _write_sentence_encoder(manifest: Manifest, precision: str, out: Path, facts: Facts) -> None:
    state = _bert(read_weights(manifest.graph("encoder", precision)), "states.")
    _write_state(manifest, out, state, {**manifest.training, **facts})
    tokenizer = read_tokenizer(manifest.tokenizer_path)
    most = manifest.count("max_tokens", 4, 65_536) - 2
    said = dict.fromkeys(turn.text for question in chats.written() for turn in question.turns)
    rows = [[CLS, *tokenizer.encode(text, add_special_tokens=False).ids[:most], SEP] for text in list(said)[:SAMPLES]]
    (out / "samples.json").write_text(json.dumps(rows) + "\n", encoding="utf-8")
    write = {"samples": "texts that we wrote, in place of those that training left"}
    (out / FACTS).write_text(json.dumps({**manifest.training, **facts, **write}, indent=2) + "\n", encoding="utf-8")


def _write_slot_values(manifest: Manifest, precision: str, out: Path, facts: Facts) -> None:
    weights = read_weights(manifest.graph("reader", precision))
    state = _low_bit_encoder(weights, "")
    state |= {"head.weight": _tensor(weights["head"])[None], "head.bias": _tensor(weights["head_bias"])}
    settings = {name: manifest.settings[name] for name in ("temperature", "margin")}
    _write_state(manifest, out, state, {**manifest.training, **settings, **facts})


def _write_joint_encoder(manifest: Manifest, _: str, out: Path, facts: Facts) -> None:
    state = _low_bit_encoder(read_weights(manifest.graph("reader", "int8")), "encoder.")
    heads: dict[str, JointHead] = load_arrays(manifest.path("reader.npz"), dict.fromkeys(JOINT_HEADS, JointHead))
    for name, head in heads.items():
        state[f"of_tokens.{name}.weight"] = _turned(head.token_weights / FASTER)
        state[f"of_whole.{name}.weight"] = _turned(head.whole_weights / FASTER)
        state[f"of_whole.{name}.bias"] = _tensor(head.whole_bias / FASTER)
        state[f"set_bias.{name}"] = _tensor(head.set_bias / FASTER)
    sets = {name: manifest.settings["sets"][name] for name in JOINT_HEADS}
    _write_state(manifest, out, state, {"recipe": manifest.training["recipe"]["reader"], "sets": sets, **facts})


def _write_meaning(manifest: Manifest, precision: str, out: Path, facts: Facts) -> None:
    trunk, joint = (_weights(manifest, part, precision) for part in ("trunk", "joint"))
    shape = SHAPES[manifest.training["recipe"]["size"]]
    positions = torch.zeros(shape.positions, shape.width)
    positions[shape.first_position : shape.first_position + LONGEST] = _tensor(trunk["positions"])
    state = {"trunk.words.weight": _tensor(trunk["words.weight"]), "trunk.positions.weight": positions}
    state |= {"trunk.distances.weight": _tensor(trunk["near"]), **_norm(trunk, "norm", "trunk.norm")}
    for layer in range(shape.layers):
        state |= _trunk_layer(trunk, f"layers.{layer}", Heads.of(shape.heads, shape.width))
    network = JointBlock(shape.width)
    dense = {f"joint.{name}.weight" for name, part in network.named_modules() if isinstance(part, nn.Linear)}
    for name in (f"joint.{each}" for each in network.state_dict()):
        state[name] = _turned(joint[name]) if name in dense else _tensor(joint[name])
    _write_state(manifest, out, state, {**manifest.training, **facts})


def _write_relations(manifest: Manifest, precision: str, out: Path, facts: Facts) -> None:
    weights = _weights(manifest, "reader", precision)
    encoder = load_encoder_of(manifest, Runtime())
    table = read_word_table(encoder.manifest, "encoder")
    shape = shape_of(len(table.scales))
    positions = torch.zeros(shape.positions, shape.width)
    positions[:PLACES] = _tensor(weights["positions.weight"])
    state = {"trunk.words.weight": _tensor(table.steps * table.scales), "trunk.positions.weight": positions}
    state |= {"trunk.distances.weight": torch.zeros(BUCKETS, shape.heads), **_norm(weights, "norm", "trunk.norm")}
    state |= {f"{table}.weight": _tensor(weights[f"{table}.weight"]) for table in ("kinds", "ages")}
    for layer in range(shape.layers):
        state |= _trunk_layer(weights, f"layers.{layer}", Heads.of(shape.heads, shape.width))
    for head in RELATION_HEADS:
        state |= _split(weights, head, [head])
    _write_state(encoder.manifest, out, state, {**manifest.training, **facts})


def _weights(manifest: Manifest, part: str, precision: str) -> dict[str, NDArray[np.float32]]:
    return read_weights(manifest.graph(part, precision), manifest.weights(part, precision))


def _trunk_layer(weights: GraphWeights, name: str, heads: Heads) -> TorchState:
    state = _split(weights, f"{name}.inputs", [f"trunk.{name}.{each}" for each in ("query", "key", "value")], heads.scale)
    for part in ("out", "wide", "narrow"):
        state |= _split(weights, f"{name}.{part}", [f"trunk.{name}.{part}"])
    for norm in ("attention_norm", "norm"):
        state |= _norm(weights, f"{name}.{norm}", f"trunk.{name}.{norm}")
    return state


def _write_rewriter(manifest: Manifest, precision: str, out: Path, facts: Facts) -> None:
    encoder, decoder = (_weights(manifest, part, precision) for part in ("encoder", "decoder"))
    heads = Heads.of(manifest.settings["heads"], manifest.settings["heads"] * manifest.settings["width"])
    words = _turned(decoder["vocabulary.weight"])
    state: TorchState = {"model.shared.weight": words, "lm_head.weight": words}
    state["final_logits_bias"] = _tensor(decoder["vocabulary.bias"])[None]
    for part, weights in (("encoder", encoder), ("decoder", decoder)):
        positions = _tensor(weights["positions"])
        state[f"model.{part}.embed_tokens.weight"] = words
        state[f"model.{part}.embed_positions.weight"] = torch.cat([torch.zeros(2, heads.size), positions])
        state |= _norm(weights, "norm", f"model.{part}.layernorm_embedding")
        for layer in range(_layers(weights, "")):
            state |= _bart_layer(weights, layer, heads, part)
    for layer in range(manifest.settings["decoder_layers"]):
        names = [f"model.decoder.layers.{layer}.encoder_attn.{each}" for each in ("k_proj", "v_proj")]
        state |= _split(encoder, f"cross.{layer}", names)
    model = BartForConditionalGeneration(_bart_config(manifest, encoder, decoder))
    model.load_state_dict(state)
    save_checkpoint(out, model, read_tokenizer(manifest.tokenizer_path), {**manifest.training, **facts})


def _bart_config(manifest: Manifest, encoder: GraphWeights, decoder: GraphWeights) -> BartConfig:
    settings = manifest.settings
    return BartConfig(
        vocab_size=decoder["vocabulary.weight"].shape[1],
        d_model=settings["heads"] * settings["width"],
        encoder_layers=_layers(encoder, ""),
        decoder_layers=settings["decoder_layers"],
        encoder_attention_heads=settings["heads"],
        decoder_attention_heads=settings["heads"],
        encoder_ffn_dim=encoder["layers.0.feed_forward.up.weight"].shape[1],
        decoder_ffn_dim=decoder["layers.0.feed_forward.up.weight"].shape[1],
        max_position_embeddings=len(encoder["positions"]),
        pad_token_id=settings["pad_id"],
        bos_token_id=settings["start_id"],
        eos_token_id=settings["end_id"],
        decoder_start_token_id=settings["start_id"],
        forced_eos_token_id=None,
        attn_implementation="eager",
    )


def _bart_layer(weights: GraphWeights, layer: int, heads: Heads, part: str) -> TorchState:
    ours, theirs = f"layers.{layer}", f"model.{part}.layers.{layer}"
    state = _split(weights, f"{ours}.inputs", [f"{theirs}.self_attn.{each}_proj" for each in "qkv"], heads.scale)
    state |= _split(weights, f"{ours}.output", [f"{theirs}.self_attn.out_proj"])
    state |= _norm(weights, f"{ours}.norm", f"{theirs}.self_attn_layer_norm")
    if part == "decoder":
        state |= _split(weights, f"{ours}.cross_query", [f"{theirs}.encoder_attn.q_proj"], heads.scale)
        state |= _split(weights, f"{ours}.cross_output", [f"{theirs}.encoder_attn.out_proj"])
        state |= _norm(weights, f"{ours}.cross_norm", f"{theirs}.encoder_attn_layer_norm")
    state |= _split(weights, f"{ours}.feed_forward.up", [f"{theirs}.fc1"])
    state |= _split(weights, f"{ours}.feed_forward.down", [f"{theirs}.fc2"])
    return state | _norm(weights, f"{ours}.feed_forward.norm", f"{theirs}.final_layer_norm")


def _bert(weights: GraphWeights, start: str) -> TorchState:
    """The state of a `BertModel` without pooler; the embedding of segments is part of that of positions."""
    state = {
        "embeddings.word_embeddings.weight": _tensor(weights[f"{start}words.weight"]),
        "embeddings.position_embeddings.weight": _tensor(weights[f"{start}positions"]),
        "embeddings.token_type_embeddings.weight": torch.zeros(1, _BERT_HEADS.size),
        **_norm(weights, f"{start}norm", "embeddings.LayerNorm"),
    }
    return state | _bert_layers(weights, start, "encoder.layer")


def _low_bit_encoder(weights: GraphWeights, start: str) -> TorchState:
    """The state of a `LowBitEncoder`."""
    state = {"table": _tensor(weights[f"{start}words.weight"]), **_norm(weights, f"{start}norm", "norm")}
    state |= {f"{part}.weight": _tensor(weights[f"{start}{part}.weight"]) for part in ("positions", "segments")}
    return state | _bert_layers(weights, start, "layers")


def _bert_layers(weights: GraphWeights, start: str, target: str) -> TorchState:
    state: TorchState = {}
    for layer in range(_layers(weights, start)):
        ours, theirs = f"{start}layers.{layer}", f"{target}.{layer}"
        attention = [f"{theirs}.attention.self.{each}" for each in ("query", "key", "value")]
        state |= _split(weights, f"{ours}.inputs", attention, _BERT_HEADS.scale)
        state |= _split(weights, f"{ours}.output", [f"{theirs}.attention.output.dense"])
        state |= _norm(weights, f"{ours}.norm", f"{theirs}.attention.output.LayerNorm")
        state |= _split(weights, f"{ours}.up", [f"{theirs}.intermediate.dense"])
        state |= _split(weights, f"{ours}.down", [f"{theirs}.output.dense"])
        state |= _norm(weights, f"{ours}.last_norm", f"{theirs}.output.LayerNorm")
    return state


def _layers(weights: GraphWeights, start: str) -> int:
    return len({name.removeprefix(start).split(".")[1] for name in weights if name.startswith(f"{start}layers.")})


def _split(weights: GraphWeights, name: str, targets: Sequence[str], scale_first: float = 1.0) -> TorchState:
    """The dense layers that a `Projection` holds side by side."""
    state: TorchState = {}
    matrices = np.split(weights[f"{name}.weight"], len(targets), axis=1)
    for place, (target, matrix, bias) in enumerate(
        zip(targets, matrices, np.split(weights[f"{name}.bias"], len(targets)), strict=True)
    ):
        scale = 1.0 if place else scale_first
        state |= {f"{target}.weight": _turned(matrix) / scale, f"{target}.bias": _tensor(bias) / scale}
    return state


def _norm(weights: GraphWeights, name: str, target: str) -> TorchState:
    return {f"{target}.{part}": _tensor(weights[f"{name}.{part}"]) for part in ("weight", "bias")}


def _tensor(values: NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(np.array(values, np.float32))


def _turned(values: NDArray[np.float32]) -> Tensor:
    """A weight as torch keeps it, (outputs, inputs)."""
    return _tensor(values.T)


def _write_state(with_tokenizer: Manifest, out: Path, state: TorchState, facts: Facts) -> None:
    torch.save(state, out / WEIGHTS)
    read_tokenizer(with_tokenizer.tokenizer_path).save(str(out / TOKENIZER))
    (out / FACTS).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def _write_heads(manifest: Manifest, _: str, out: Path, facts: Facts) -> None:
    arrays: dict[str, Any] = load_arrays(manifest.path("heads.npz"), {})
    np.savez(out / "heads.npz", **arrays)
    (out / FACTS).write_text(json.dumps({**manifest.training, **facts}, indent=2) + "\n", encoding="utf-8")


_WRITERS: dict[str, Callable[[Manifest, str, Path, Facts], None]] = {
    "behaviors": _write_heads,
    "directness": _write_directness,
    "intentions": _write_heads,
    "meaning": _write_meaning,
    "relations": _write_relations,
    "mind": _write_joint_encoder,
    "rewriting": _write_rewriter,
    "sentence-embedding": _write_sentence_encoder,
    "slot-values": _write_slot_values,
}
