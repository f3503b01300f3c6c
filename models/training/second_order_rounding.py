"""Rounding to four bits by second-order information (GPTQ, Frantar et al. 2023).

Inputs of a layer are rounded one after another, and the error that each leaves in the outputs is taken up by those that are still
to come. A few thousand tokens of ordinary text are enough to know which inputs go together.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from grice.models.training.low_bits import BLOCK, MOST_MULTIPLE, MOST_STEPS, LowBits

DAMPING = 0.01
SHRINKING = tuple(1 - 0.05 * step for step in range(9))
"""How far a block's largest weight may be cut: the share with the least squared error is taken."""


def round_layer(layer: nn.Linear, inputs: Tensor) -> None:
    """Round a layer's weight in place, so that its outputs on `inputs` (tokens, inputs) change as little as can be."""
    flat = inputs.detach().flatten(0, -2).float()
    with torch.no_grad():
        layer.weight.copy_(round_weight(layer.weight.detach().float(), flat.T @ flat / len(flat)))


def round_weight(weight: Tensor, moments: Tensor) -> Tensor:
    """`weight` (outputs, inputs) in values that four bits hold exactly.

    Args:
        moments: mean products of inputs, (inputs, inputs).
    """
    left, result = weight.clone(), torch.zeros_like(weight)
    damped = moments + DAMPING * moments.diagonal().mean() * torch.eye(len(moments))
    inverse = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(damped)), upper=True)
    scale = LowBits.of(weight).scale
    for start in range(0, weight.size(1), BLOCK):
        block = left[:, start : start + BLOCK].clone()
        unit = scale * _best_multiples(block, scale)
        errors = torch.zeros_like(block)
        for place in range(BLOCK):
            at = start + place
            found = (block[:, place] / unit).round().clamp(-MOST_STEPS, MOST_STEPS) * unit
            result[:, at] = found
            errors[:, place] = (block[:, place] - found) / inverse[at, at]
            block[:, place:] -= errors[:, place : place + 1] * inverse[at, at : start + BLOCK][None]
        left[:, start + BLOCK :] -= errors @ inverse[start : start + BLOCK, start + BLOCK :]
    return result


def _best_multiples(block: Tensor, scale: Tensor) -> Tensor:
    """For each output the whole multiple of its scale that leaves the least squared error in a block."""
    most = block.abs().amax(1)
    tried = torch.stack([(share * most / (MOST_STEPS * scale)).round().clamp(1, MOST_MULTIPLE) for share in SHRINKING])
    units = (tried * scale)[:, :, None]
    errors = ((block / units).round().clamp(-MOST_STEPS, MOST_STEPS) * units - block).square().sum(2)
    best: Tensor = tried.gather(0, errors.argmin(0)[None])[0]
    return best


def collect_inputs(module: nn.Module, run: Callable[[], object]) -> Tensor:
    """What `module` is given while `run` goes, as tokens (count, width)."""
    found: list[Tensor] = []
    handle = module.register_forward_pre_hook(lambda _, given: found.append(given[0].detach().flatten(0, -2)))
    try:
        with torch.no_grad():
            run()
    finally:
        handle.remove()
    return torch.cat(found)
