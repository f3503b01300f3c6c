"""Graphs of encoders, after `BertModel` and with the same results."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from grice.models.export.layers import (
    Heads,
    LowBitTable,
    Projection,
    TokenTable,
    as_heads,
    as_heads_transposed,
    from_heads,
    layer_norm,
    masked,
)


class BertStates(nn.Module):
    """A `BertModel` without pooler: `ids` and `mask`, each (batch, length) int64, to states (batch, length, width).

    Args:
        small_table: embeddings in eight bits. low_bits: in four.
    """

    positions: Tensor

    def __init__(self, bert: Any, small_table: bool = False, low_bits: bool = False) -> None:
        super().__init__()
        tables = bert.embeddings
        words = tables.word_embeddings.weight
        self.words: nn.Module = LowBitTable(words) if low_bits else TokenTable(words, small_table)
        places = tables.position_embeddings.weight + tables.token_type_embeddings.weight[0]
        self.register_buffer("positions", places.detach().clone())
        self.norm = layer_norm(tables.LayerNorm)
        heads = Heads.of(bert.config.num_attention_heads, bert.config.hidden_size)
        self.layers = nn.ModuleList(BertLayer(layer, heads) for layer in bert.encoder.layer)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        bias = masked(mask)
        state: Tensor = self.norm(self.words(ids) + self.positions[: ids.size(1)])
        for layer in self.layers:
            state = layer(state, bias)
        return state


def pooled(state: Tensor, weights: Tensor) -> Tensor:
    """The mean of the states where `weights` (batch, length) is 1: (batch, width)."""
    weights = weights.to(state.dtype)[:, :, None]
    mean: Tensor = (state * weights).sum(1) / weights.sum(1)
    return mean


class DirectnessGraph(nn.Module):
    """Inputs: `ids`, `mask`, `query`, each (batch, length) int64; `query` is 1 for the tokens of the turn itself.

    Output: `raw` (batch,), the score before calibration.
    """

    def __init__(self, model: Any, low_bits: bool = False) -> None:
        super().__init__()
        self.states = BertStates(model.encoder, low_bits=low_bits)
        self.head = Projection(model.head)

    def forward(self, ids: Tensor, mask: Tensor, query: Tensor) -> Tensor:
        raw: Tensor = self.head(pooled(self.states(ids, mask), query))[:, 0]
        return raw


class SentenceGraph(nn.Module):
    """Inputs: `ids` and `mask`, each (batch, length) int64.

    Output: `vector` (batch, width), the mean of the states at unit length.
    """

    def __init__(self, bert: Any, small_table: bool = False) -> None:
        super().__init__()
        self.states = BertStates(bert, small_table)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return functional.normalize(pooled(self.states(ids, mask), mask), dim=-1)


class LowBitStates(nn.Module):
    """A `LowBitEncoder`: `ids`, `positions` and `segments`, each (batch, length) int64, to states (batch, length, width).

    Args:
        low_bits: whether embeddings are kept in four bits, those of positions and segments in eight.
    """

    def __init__(self, model: Any, low_bits: bool) -> None:
        super().__init__()
        table = model.table.detach()
        self.words: nn.Module = LowBitTable(table) if low_bits else TokenTable(table, False)
        self.positions = TokenTable(model.positions.weight, low_bits)
        self.segments = TokenTable(model.segments.weight, low_bits)
        self.norm = layer_norm(model.norm)
        heads = Heads.of(model.layers[0].attention.self.num_attention_heads, table.size(1))
        self.layers = nn.ModuleList(BertLayer(layer, heads) for layer in model.layers)

    def forward(self, ids: Tensor, positions: Tensor, segments: Tensor) -> Tensor:
        state: Tensor = self.norm(self.words(ids) + self.positions(positions) + self.segments(segments))
        bias = torch.zeros(1, 1, 1, 1)
        for layer in self.layers:
            state = layer(state, bias)
        return state


class SlotGraph(LowBitStates):
    """Inputs: `ids`, `positions` and `segments`, each (batch, length) int64.

    Output: `raw` (batch, length), how well each token speaks for the value that it belongs to.
    """

    head: Tensor
    head_bias: Tensor

    def __init__(self, model: Any, low_bits: bool = False) -> None:
        super().__init__(model, low_bits)
        self.register_buffer("head", model.head.weight[0].detach().clone())
        self.register_buffer("head_bias", model.head.bias.detach().clone())

    def forward(self, ids: Tensor, positions: Tensor, segments: Tensor) -> Tensor:
        raw: Tensor = (super().forward(ids, positions, segments) * self.head).sum(-1) + self.head_bias
        return raw


class StatesGraph(nn.Module):
    """Inputs: `ids` and `segments`, each (batch, length) int64; a piece stands at its place.

    Output: `states` (batch, length, width).
    """

    def __init__(self, model: Any, low_bits: bool) -> None:
        super().__init__()
        self.encoder = LowBitStates(model, low_bits)

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        places = torch.cumsum(torch.ones_like(ids), 1) - 1
        states: Tensor = self.encoder(ids, places, segments)
        return states


class BertLayer(nn.Module):
    """Self-attention and feed-forward, each with its residual and a norm after."""

    def __init__(self, layer: Any, heads: Heads) -> None:
        super().__init__()
        self.heads = heads
        own = layer.attention.self
        self.inputs = Projection(own.query, own.key, own.value, scale_first=heads.scale)
        self.output = Projection(layer.attention.output.dense)
        self.norm = layer_norm(layer.attention.output.LayerNorm)
        self.up = Projection(layer.intermediate.dense)
        self.down = Projection(layer.output.dense)
        self.last_norm = layer_norm(layer.output.LayerNorm)

    def forward(self, state: Tensor, bias: Tensor) -> Tensor:
        query, key, value = self.inputs(state).split(self.heads.size, dim=-1)
        scores = as_heads(query, self.heads) @ as_heads_transposed(key, self.heads)
        seen = torch.softmax(scores + bias, dim=-1) @ as_heads(value, self.heads)
        state = self.norm(state + self.output(from_heads(seen, self.heads)))
        normed: Tensor = self.last_norm(state + self.down(functional.gelu(self.up(state))))
        return normed
