"""Rounding to four bits that knows which inputs go together."""

import pytest
import torch
from torch import nn

from grice.models.training.low_bits import LowBits
from grice.models.training.second_order_rounding import round_dense, round_trunk, round_weight
from grice.models.training.sentence_trunk import SentenceTrunk, TrunkShape

TINY = TrunkShape(40, 2, 64, 4, 128, 20, 2, True, 1e-5, "")


@pytest.fixture
def weight() -> torch.Tensor:
    return 0.03 * torch.randn(96, 256, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def inputs() -> torch.Tensor:
    chance = torch.Generator().manual_seed(1)
    mixed = torch.randn(2000, 64, generator=chance) @ torch.randn(64, 256, generator=chance)
    return mixed + 0.3 * torch.randn(2000, 256, generator=chance)


def test_outputs_change_less_than_by_plain_rounding(weight: torch.Tensor, inputs: torch.Tensor) -> None:
    rounded = round_weight(weight, inputs.T @ inputs / len(inputs))
    errors = [(inputs @ (each - weight).T).square().mean() for each in (rounded, LowBits.of(weight).weight)]
    assert errors[0] < 0.6 * errors[1]


def test_what_was_rounded_is_held_exactly(weight: torch.Tensor, inputs: torch.Tensor) -> None:
    rounded = round_weight(weight, inputs.T @ inputs / len(inputs))
    held = LowBits.exactly(rounded)
    assert torch.allclose(held.weight, rounded, atol=1e-6)
    assert held.steps.abs().max() <= 7
    assert held.multiples.max() <= 18
    assert not torch.allclose(LowBits.of(rounded).weight, rounded, atol=1e-4)


def test_a_trunk_is_rounded_from_the_layer_that_is_asked_for() -> None:
    torch.manual_seed(0)
    trunk = SentenceTrunk(TINY)
    before = {name: value.clone() for name, value in trunk.state_dict().items()}
    round_trunk(trunk, [(0, *range(3, 3 + length), 2) for length in range(1, 15)], start=1)
    changed = {name for name, value in trunk.state_dict().items() if not torch.equal(value, before[name])}
    dense = {f"layers.1.{part}.weight" for part in ("query", "key", "value", "out", "wide", "narrow")}
    assert changed == {"words.weight", *dense}
    for name in changed:
        value = trunk.state_dict()[name]
        assert torch.allclose(LowBits.exactly(value).weight, value, atol=1e-6), name


def test_dense_layers_are_rounded_for_what_they_are_given(inputs: torch.Tensor) -> None:
    torch.manual_seed(0)
    first, second, narrow, unused = nn.Linear(256, 64), nn.Linear(64, 64), nn.Linear(64, 8), nn.Linear(256, 64)
    model = nn.Sequential(first, nn.GELU(), second, narrow)
    layers, exact = (first, second, narrow, unused), model(inputs).detach()
    before = [layer.weight.clone() for layer in layers]
    round_dense(layers, lambda: [model(part) for part in inputs.split(500)])
    assert [torch.equal(layer.weight, old) for layer, old in zip(layers, before, strict=True)] == [False, False, True, True]
    for layer in (first, second):
        assert torch.allclose(LowBits.exactly(layer.weight).weight, layer.weight, atol=1e-6)
    assert float((model(inputs).detach() - exact).square().mean() / exact.var()) < 0.02
    rounded = first.weight.clone()
    round_dense(layers, lambda: model(inputs))
    assert torch.equal(first.weight, rounded)
