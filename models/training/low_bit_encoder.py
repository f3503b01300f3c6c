"""MiniLM's layers as torch trains them for files of four bits; the token embeddings are in four bits from the start and stay so."""

from __future__ import annotations

import copy
import math
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertLayer

from grice.models.training import warm_start
from grice.models.training.low_bits import LowBits, rounded
from grice.models.training.vocabulary import Vocabulary

SMALLEST = -1e4

Encoder = TypeVar("Encoder", bound="LowBitEncoder")


class LowBitEncoder(nn.Module):
    """Ids, positions and segments (batch, length) to states (batch, length, width).

    Args:
        pieces, positions, segments: how many there are. layers: of MiniLM's, the first.

    Attributes:
        low_bits: the weights of the layers are rounded to four bits where they are used.
    """

    table: Tensor

    def __init__(self, pieces: int, positions: int, segments: int, layers: int) -> None:
        super().__init__()
        config = BertConfig(
            hidden_size=warm_start.WIDTH,
            num_attention_heads=warm_start.HEADS,
            intermediate_size=warm_start.FEED_FORWARD,
            attn_implementation="eager",
        )
        self.register_buffer("table", torch.zeros(pieces, warm_start.WIDTH))
        self.positions = nn.Embedding(positions, warm_start.WIDTH)
        self.segments = nn.Embedding(segments, warm_start.WIDTH)
        self.norm = nn.LayerNorm(warm_start.WIDTH, eps=config.layer_norm_eps)
        self.layers = nn.ModuleList(BertLayer(config) for _ in range(layers))
        self.drop = nn.Dropout(0.1)
        self.low_bits = False

    def start(self, words: Vocabulary, new_tokens: int = 0) -> None:
        """Take MiniLM's weights; segments begin near zero."""
        weights = warm_start.bert_weights(words.kept_ids, new_tokens, self.positions.num_embeddings, len(self.layers))
        for number, layer in enumerate(self.layers):
            start = f"encoder.layer.{number}."
            layer.load_state_dict({name.removeprefix(start): value for name, value in weights.items() if name.startswith(start)})
        self.table.copy_(weights["embeddings.word_embeddings.weight"])
        self.norm.load_state_dict({part: weights[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")})
        with torch.no_grad():
            self.positions.weight.copy_(weights["embeddings.position_embeddings.weight"])
            nn.init.normal_(self.segments.weight, std=0.02)

    def states(self, ids: Tensor, positions: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """`mask` is 0 where there is nothing."""
        rows = functional.embedding(ids, self.table)
        state = LowBits.of(rows.flatten(0, 1)).weight.view_as(rows)
        state = self.norm(state + self.positions(positions) + self.segments(segments))
        state = self.drop(state)
        bias = (1.0 - mask[:, None, None].to(state.dtype)) * SMALLEST
        for layer in self.layers:
            state = self._layer(layer, state, bias)
        return state

    def _layer(self, layer: Any, state: Tensor, bias: Tensor) -> Tensor:
        own, out = layer.attention.self, layer.attention.output
        heads = own.num_attention_heads
        query, key, value = (
            each.reshape(*each.shape[:2], heads, -1).transpose(1, 2)
            for each in self._dense(state, own.query, own.key, own.value).chunk(3, -1)
        )
        scores = query @ key.transpose(-1, -2) * (1 / math.sqrt(query.size(-1)))
        seen = (torch.softmax(scores + bias, -1) @ value).transpose(1, 2).flatten(2)
        state = out.LayerNorm(state + self.drop(self._dense(seen, out.dense)))
        up = functional.gelu(self._dense(state, layer.intermediate.dense))
        normed: Tensor = layer.output.LayerNorm(state + self.drop(self._dense(up, layer.output.dense)))
        return normed

    def _dense(self, state: Tensor, *parts: Any) -> Tensor:
        weight = torch.cat([part.weight for part in parts])
        return functional.linear(state, rounded(weight) if self.low_bits else weight, torch.cat([part.bias for part in parts]))


def rounded_encoder(model: Encoder) -> Encoder:
    """A copy whose embeddings and layers are what four bits hold."""
    copy_of = copy.deepcopy(model)
    with torch.no_grad():
        copy_of.table.copy_(LowBits.of(model.table).weight)
        for part in copy_of.layers.modules():
            if isinstance(part, nn.Linear):
                part.weight.copy_(LowBits.of(part.weight).weight)
    return copy_of
