"""Rounding to four bits by second-order information (GPTQ, Frantar et al. 2023).

Inputs of a layer are rounded one after another, and the error that each leaves in the outputs is taken up by those that are still
to come. A few thousand tokens of ordinary text are enough to know which inputs go together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor, nn

from grice.models.training.low_bits import BLOCK, MOST_MULTIPLE, MOST_STEPS, LowBits
from grice.models.training.sentence_trunk import SentenceTrunk, padded

AT_ONCE = 16
HELD = 1e-5
"""Of the largest weight: less of a difference is rounding of floats."""
SHARING_INPUTS = (("query", "key", "value"), ("out",), ("wide",), ("narrow",))
"""Dense parts of a layer, in the order in which they run."""
DAMPING = 0.01
SHRINKING = tuple(1 - 0.05 * step for step in range(9))
"""How far a block's largest weight may be cut: the share with the least squared error is taken."""


def round_trunk(trunk: SentenceTrunk, texts: Sequence[tuple[int, ...]], start: int = 0, stop: int | None = None) -> None:
    """Round a trunk's table of pieces, and its layers from `start` to `stop`, in place, one after another.

    Args:
        texts: ordinary texts as pieces, a few hundred; what a layer is given depends on the rounded ones before it.
    """
    ordered = sorted(texts, key=len)
    with torch.no_grad():
        trunk.words.weight.copy_(LowBits.exactly(trunk.words.weight).weight)
        states = []
        for place in range(0, len(ordered), AT_ONCE):
            ids, mask = padded(ordered[place : place + AT_ONCE], 0)
            states.append((trunk.embed(ids), trunk.bias(mask), mask.bool()))
        for number, layer in enumerate(trunk.layers[:stop]):
            if number >= start:
                for names in SHARING_INPUTS:
                    parts = [layer.get_submodule(name) for name in names]
                    inputs = _inputs(parts[0], layer, states)
                    for part in parts:
                        round_layer(part, inputs)
            states = [(layer(state, bias), bias, mask) for state, bias, mask in states]


def _inputs(dense: nn.Module, layer: nn.Module, states: Sequence[tuple[Tensor, Tensor, Tensor]]) -> Tensor:
    """What a dense part of a layer is given for these states: (tokens, inputs)."""
    given: list[Tensor] = []
    handle = dense.register_forward_pre_hook(lambda _, arguments: given.append(arguments[0]))
    try:
        for state, bias, _ in states:
            layer(state, bias)
    finally:
        handle.remove()
    return torch.cat([each[mask] for each, (_, _, mask) in zip(given, states, strict=True)])


def round_dense(layers: Iterable[nn.Linear], run: Callable[[], object]) -> None:
    """Round dense layers of a model in place, each for what it is given while `run` runs the model as it was.

    Those that are not run, those whose number of inputs is no multiple of `BLOCK` or that have fewer outputs, and weights that four
    bits hold stay as they are.
    """
    moments: dict[nn.Module, Tensor] = {}

    def add(layer: nn.Module, given: tuple[Tensor, ...]) -> None:
        inputs = given[0].flatten(0, -2)
        moments[layer] = moments.get(layer, torch.zeros(())) + inputs.T @ inputs

    handles = [layer.register_forward_pre_hook(add) for layer in layers if _fits(layer)]
    try:
        with torch.no_grad():
            run()
    finally:
        for handle in handles:
            handle.remove()
    with torch.no_grad():
        for layer, found in moments.items():
            weight = layer.get_parameter("weight")
            weight.copy_(round_weight(weight.detach(), found))


def _fits(layer: nn.Linear) -> bool:
    return layer.in_features % BLOCK == 0 and layer.out_features >= BLOCK and not _is_held(layer.weight)


def _is_held(weight: Tensor) -> bool:
    """Whether four bits hold it as it is."""
    found = weight.detach()
    return torch.allclose(LowBits.exactly(found).weight, found, rtol=0, atol=float(found.abs().max()) * HELD)


def round_layer(layer: nn.Module, inputs: Tensor) -> None:
    """Round a layer's weight in place, so that its outputs on `inputs` (tokens, inputs) change as little as can be.

    A weight that four bits hold stays as it is.
    """
    weight = layer.get_parameter("weight")
    if not _is_held(weight):
        moments = inputs.T @ inputs / len(inputs)
        with torch.no_grad():
            weight.copy_(round_weight(weight.detach(), moments))


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
