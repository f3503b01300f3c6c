"""Building blocks of the exported graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from grice.models.training.low_bits import BLOCK, MOST_STEPS, LowBits


@dataclass(frozen=True)
class Heads:
    """Number of attention heads, the width of one, and the factor on its queries."""

    count: int
    width: int
    scale: float

    @classmethod
    def of(cls, count: int, size: int) -> Heads:
        """`count` heads over a state of `size`."""
        return cls(count, size // count, (size // count) ** -0.5)

    @property
    def size(self) -> int:
        """The width of all heads together."""
        return self.count * self.width


class Projection(nn.Module):
    """Dense layers of one input side by side, as one matrix product: (…, in) to (…, sum of outs).

    `scale_first` is multiplied into the first layer's weights.
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, *layers: Any, scale_first: float = 1.0) -> None:
        super().__init__()
        weights = [layer.weight.detach().float() for layer in layers]
        biases = [layer.bias.detach().float() for layer in layers]
        weights[0], biases[0] = weights[0] * scale_first, biases[0] * scale_first
        self.register_buffer("weight", torch.cat(weights).t().contiguous())
        self.register_buffer("bias", torch.cat(biases))

    def forward(self, state: Tensor) -> Tensor:
        return state @ self.weight + self.bias


class TokenTable(nn.Module):
    """Token embeddings: (batch, length) ids to (batch, length, width).

    `small` keeps them as int8 with a scale a row: a quarter of the size, and nearer to the original than one scale for all.
    """

    table: Tensor
    scale: Tensor

    def __init__(self, weight: Tensor, small: bool) -> None:
        super().__init__()
        weight = weight.detach().float()
        self.small = small
        if small:
            scale = weight.abs().amax(dim=1, keepdim=True).clamp(min=1e-8) / 127
            self.register_buffer("table", torch.round(weight / scale).to(torch.int8))
            self.register_buffer("scale", scale)
        else:
            self.register_buffer("table", weight.clone())

    def forward(self, ids: Tensor) -> Tensor:
        rows = self.table[ids]
        return rows.float() * self.scale[ids] if self.small else rows


class LowBitTable(nn.Module):
    """Token embeddings in four bits (see `grice.models.training.low_bits`): (batch, length) ids to (batch, length, width)."""

    steps: Tensor
    multiples: Tensor
    scale: Tensor

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        bits = LowBits.exactly(weight)
        first, second = (bits.steps.flatten(1) + MOST_STEPS).chunk(2, dim=1)
        self.register_buffer("steps", (first + 16 * second).to(torch.uint8))
        self.register_buffer("multiples", bits.multiples.to(torch.uint8))
        self.register_buffer("scale", bits.scale[:, None])

    def forward(self, ids: Tensor) -> Tensor:
        both = self.steps[ids].float()
        second = torch.floor(both / 16)
        steps = torch.cat([both - 16 * second, second], dim=-1) - MOST_STEPS
        blocks = steps.reshape(*ids.shape, -1, BLOCK) * self.multiples[ids].float()[..., None]
        rows: Tensor = blocks.flatten(-2) * self.scale[ids]
        return rows


def layer_norm(module: nn.LayerNorm) -> nn.LayerNorm:
    """A copy of a layer norm."""
    copy = nn.LayerNorm(module.normalized_shape, eps=module.eps)
    copy.load_state_dict({name: value.detach().float() for name, value in module.state_dict().items()})
    return copy


def masked(mask: Tensor) -> Tensor:
    """What to add to attention scores: (batch, source) of 1 and 0 to (batch, 1, 1, source) of 0 and a large negative number."""
    return (1.0 - mask.to(torch.float32))[:, None, None, :] * -10000.0


def as_heads(state: Tensor, heads: Heads) -> Tensor:
    """(batch, length, size) to (batch, heads, length, width)."""
    return state.reshape(state.size(0), -1, heads.count, heads.width).transpose(1, 2)


def as_heads_transposed(state: Tensor, heads: Heads) -> Tensor:
    """(batch, length, size) to (batch, heads, width, length), for keys."""
    return state.reshape(state.size(0), -1, heads.count, heads.width).permute(0, 2, 3, 1)


def from_heads(state: Tensor, heads: Heads) -> Tensor:
    """(batch, heads, length, width) to (batch, length, size)."""
    return state.transpose(1, 2).reshape(state.size(0), -1, heads.count * heads.width)
