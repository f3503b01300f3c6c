"""BART as two graphs, after `BartForConditionalGeneration` and with the same results.

Encoder: token ids to the cross-attention keys and values of every decoder layer. Decoder step: one token, the caches so far,
to log-probabilities and the longer caches. Query, key and value projections are one matrix product (so int8 quantises its
input once), and the queries' scale is folded into their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from grice.models.export.layers import Heads, Projection, TokenTable, as_heads, as_heads_transposed, from_heads, layer_norm, masked


class EncoderGraph(nn.Module):
    """Inputs: `ids` (batch, source) int64, `mask` (batch, source) int64, 1 for tokens and 0 for padding.

    Outputs, one pair a decoder layer: `cross_key_i` (batch, heads, width, source), `cross_value_i` (batch, heads, source, width).
    """

    positions: Tensor

    def __init__(self, model: Any, small_table: bool = False) -> None:
        super().__init__()
        encoder, decoder = model.model.encoder, model.model.decoder
        self.heads = Heads.of(model.config.encoder_attention_heads, model.config.d_model)
        self.words = TokenTable(model.model.shared.weight, small_table)
        self.register_buffer("positions", encoder.embed_positions.weight[2:].detach().clone())
        self.norm = layer_norm(encoder.layernorm_embedding)
        self.layers = nn.ModuleList(EncoderLayer(layer, self.heads) for layer in encoder.layers)
        self.cross = nn.ModuleList(Projection(layer.encoder_attn.k_proj, layer.encoder_attn.v_proj) for layer in decoder.layers)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        bias = masked(mask)
        state = self.norm(self.words(ids) + self.positions[: ids.size(1)])
        for layer in self.layers:
            state = layer(state, bias)
        outputs: list[Tensor] = []
        for projection in self.cross:
            key, value = projection(state).split(self.heads.size, dim=-1)
            outputs += [as_heads_transposed(key, self.heads), as_heads(value, self.heads)]
        return tuple(outputs)


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward, each with its residual and a norm after."""

    def __init__(self, layer: Any, heads: Heads) -> None:
        super().__init__()
        self.heads = heads
        attention = layer.self_attn
        self.inputs = Projection(attention.q_proj, attention.k_proj, attention.v_proj, scale_first=heads.scale)
        self.output = Projection(attention.out_proj)
        self.norm = layer_norm(layer.self_attn_layer_norm)
        self.feed_forward = FeedForward(layer)

    def forward(self, state: Tensor, bias: Tensor) -> Tensor:
        query, key, value = self.inputs(state).split(self.heads.size, dim=-1)
        scores = as_heads(query, self.heads) @ as_heads_transposed(key, self.heads)
        seen = torch.softmax(scores + bias, dim=-1) @ as_heads(value, self.heads)
        state = self.norm(state + self.output(from_heads(seen, self.heads)))
        result: Tensor = self.feed_forward(state)
        return result


class FeedForward(nn.Module):
    """The two dense layers with their residual and the norm after."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.up = Projection(layer.fc1)
        self.down = Projection(layer.fc2)
        self.norm = layer_norm(layer.final_layer_norm)

    def forward(self, state: Tensor) -> Tensor:
        normed: Tensor = self.norm(state + self.down(functional.gelu(self.up(state))))
        return normed


class DecoderStep(nn.Module):
    """Inputs: `ids` (batch, 1) int64, `mask` (batch, source) int64 of the source, and for each layer `past_key_i`
    (batch, heads, width, past), `past_value_i` (batch, heads, past, width), `cross_key_i`, `cross_value_i` as the encoder gives
    them. `past` may be 0.

    Outputs: `log_probs` (batch, vocabulary), and `present_key_i`, `present_value_i`, one longer than the past.
    """

    positions: Tensor

    def __init__(self, model: Any, small_table: bool = False) -> None:
        super().__init__()
        decoder = model.model.decoder
        self.heads = Heads.of(model.config.decoder_attention_heads, model.config.d_model)
        self.words = TokenTable(model.model.shared.weight, small_table)
        self.register_buffer("positions", decoder.embed_positions.weight[2:].detach().clone())
        self.norm = layer_norm(decoder.layernorm_embedding)
        self.layers = nn.ModuleList(DecoderLayer(layer, self.heads) for layer in decoder.layers)
        vocabulary = nn.Linear(model.config.d_model, model.config.vocab_size)
        vocabulary.weight = nn.Parameter(model.lm_head.weight.detach().clone())
        vocabulary.bias = nn.Parameter(model.final_logits_bias.detach().clone().flatten())
        self.vocabulary = Projection(vocabulary)

    def forward(self, ids: Tensor, mask: Tensor, *caches: Tensor) -> tuple[Tensor, ...]:
        bias = masked(mask)
        past = caches[1].size(2)
        state = self.norm(self.words(ids) + self.positions[past : past + 1])
        outputs: list[Tensor] = []
        for number, layer in enumerate(self.layers):
            own, cross = caches[4 * number : 4 * number + 2], caches[4 * number + 2 : 4 * number + 4]
            state, key, value = layer(state, bias, own, cross)
            outputs += [key, value]
        log_probs = torch.log_softmax(self.vocabulary(state.reshape(-1, self.heads.size)), dim=-1)
        return (log_probs, *outputs)


class DecoderLayer(nn.Module):
    """Cached self-attention, cross-attention and feed-forward for one new token."""

    def __init__(self, layer: Any, heads: Heads) -> None:
        super().__init__()
        self.heads = heads
        own, cross = layer.self_attn, layer.encoder_attn
        self.inputs = Projection(own.q_proj, own.k_proj, own.v_proj, scale_first=heads.scale)
        self.output = Projection(own.out_proj)
        self.norm = layer_norm(layer.self_attn_layer_norm)
        self.cross_query = Projection(cross.q_proj, scale_first=heads.scale)
        self.cross_output = Projection(cross.out_proj)
        self.cross_norm = layer_norm(layer.encoder_attn_layer_norm)
        self.feed_forward = FeedForward(layer)

    def forward(
        self, state: Tensor, bias: Tensor, own: tuple[Tensor, Tensor], cross: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, Tensor, Tensor]:
        (past_key, past_value), (cross_key, cross_value) = own, cross
        # one token: heads are split and joined by reshaping alone
        count, width, size = self.heads.count, self.heads.width, self.heads.size
        query, key, value = self.inputs(state).split(size, dim=-1)
        key = torch.cat([past_key, key.reshape(-1, count, width, 1)], dim=3)
        value = torch.cat([past_value, value.reshape(-1, count, 1, width)], dim=2)
        seen = torch.softmax(query.reshape(-1, count, 1, width) @ key, dim=-1) @ value
        state = self.norm(state + self.output(seen.reshape(-1, 1, size)))
        query = self.cross_query(state).reshape(-1, count, 1, width)
        seen = torch.softmax(query @ cross_key + bias, dim=-1) @ cross_value
        state = self.cross_norm(state + self.cross_output(seen.reshape(-1, 1, size)))
        return self.feed_forward(state), key, value


def cache_names(layers: int) -> list[str]:
    """The decoder's cache inputs, in order."""
    return [f"{name}_{layer}" for layer in range(layers) for name in ("past_key", "past_value", "cross_key", "cross_value")]


def cross_names(layers: int) -> list[str]:
    """The encoder's outputs, in order."""
    return [f"{name}_{layer}" for layer in range(layers) for name in ("cross_key", "cross_value")]


def present_names(layers: int) -> list[str]:
    """The decoder's cache outputs, in order."""
    return [f"{name}_{layer}" for layer in range(layers) for name in ("present_key", "present_value")]


def dynamic_axes(names: Sequence[str]) -> dict[str, dict[int, str]]:
    """Which axes of the named inputs and outputs vary."""
    axes: dict[str, dict[int, str]] = {
        "ids": {0: "batch", 1: "length"},
        "mask": {0: "batch", 1: "source"},
        "log_probs": {0: "batch"},
    }
    for name in names:
        kind, length = name.split("_")[1], {"past": "past", "present": "present", "cross": "source"}[name.split("_")[0]]
        axes[name] = {0: "batch", 3 if kind == "key" else 2: length}
    return axes
