"""Weights of four bits: what a model must train with so that the file which holds them says the same.

A weight is `scale × multiple × step`: one fp32 scale for each output, a small whole multiple for each block of `BLOCK` inputs of an
output, and a step of -7 to 7. `multiple × step` fits into int8, so at run time the model is an ordinary int8 one.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

BLOCK = 64
MOST_STEPS, MOST_MULTIPLE = 7, 18
SAME = 1e-3
"""Less than this from a whole number of scales is rounding of floats."""


@dataclass(frozen=True)
class LowBits:
    """A weight matrix of shape (outputs, inputs).

    Attributes:
        steps: -7 to 7, shape (outputs, blocks, `BLOCK`).
        multiples: 1 to 18, shape (outputs, blocks).
        scale: shape (outputs,).
    """

    steps: Tensor
    multiples: Tensor
    scale: Tensor

    @classmethod
    def of(cls, weight: Tensor) -> LowBits:
        """The nearest to `weight`; its inputs are a multiple of `BLOCK`."""
        blocks = weight.detach().float().reshape(len(weight), -1, BLOCK)
        most = blocks.abs().amax(-1)
        scale = (most.amax(-1) / (MOST_STEPS * MOST_MULTIPLE)).clamp(min=1e-12)
        multiples = (most / (MOST_STEPS * scale[:, None])).round().clamp(1, MOST_MULTIPLE)
        steps = (blocks / (scale[:, None] * multiples)[..., None]).round().clamp(-MOST_STEPS, MOST_STEPS)
        return cls(steps, multiples, scale)

    @classmethod
    def exactly(cls, weight: Tensor) -> LowBits:
        """As `of`, but what four bits hold as it is stays as it is: weights that were rounded once are not rounded again.

        A block stays that fits the scale of `of`; all blocks of an output do where some other scale, of which its largest weight is
        a whole multiple, fits them all.
        """
        near = cls.of(weight)
        blocks = weight.detach().float().reshape(len(weight), -1, BLOCK)
        steps, multiples, fits = _whole_steps(blocks, near.scale)
        steps, multiples = torch.where(fits[..., None], steps, near.steps), torch.where(fits, multiples, near.multiples)
        scale = near.scale.clone()
        left = (~fits.all(1)).nonzero()[:, 0]
        for whole in range(MOST_STEPS * MOST_MULTIPLE - 1, 0, -1):
            tried = scale[left] * MOST_STEPS * MOST_MULTIPLE / whole
            scaled = blocks[left] / tried[:, None, None]
            likely = ((scaled.round() - scaled).abs().amax((1, 2)) < SAME).nonzero()[:, 0]
            found_steps, found_multiples, fits = _whole_steps(blocks[left[likely]], tried[likely])
            kept = fits.all(1)
            rows = left[likely[kept]]
            steps[rows], multiples[rows], scale[rows] = found_steps[kept], found_multiples[kept], tried[likely[kept]]
            left = left[~torch.isin(left, rows)]
            if not len(left):
                break
        return cls(steps, multiples, scale)

    @property
    def whole(self) -> Tensor:
        """`multiple × step`, shape (outputs, inputs), at most 126 either way."""
        return (self.steps * self.multiples[..., None]).flatten(1)

    @property
    def weight(self) -> Tensor:
        """The weights that these stand for, shape (outputs, inputs)."""
        return self.whole * self.scale[:, None]


def _whole_steps(blocks: Tensor, scale: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Steps and multiples of blocks (outputs, blocks, `BLOCK`) that are whole numbers of a scale, and which blocks are."""
    scaled = blocks / scale[:, None, None]
    steps, multiples = torch.zeros_like(scaled), torch.ones_like(scaled[..., 0])
    fitted = torch.zeros_like(multiples, dtype=torch.bool)
    for multiple in range(MOST_MULTIPLE, 0, -1):
        tried = (scaled / multiple).round()
        fits = ((tried * multiple - scaled).abs().amax(-1) < SAME) & (tried.abs().amax(-1) <= MOST_STEPS)
        steps[fits], multiples[fits] = tried[fits], float(multiple)
        fitted |= fits
    return steps, multiples, fitted


def rounded(weight: Tensor) -> Tensor:
    """`weight` as four bits hold it; gradients pass as though nothing had been rounded."""
    return weight + (LowBits.of(weight).weight - weight).detach()
