"""Fitting the networks of `grice.models.runtime.recurrent_networks` with torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from grice.models.runtime.heads import Floats, halved
from grice.models.runtime.recurrent_networks import RecurrentNetworks
from grice.models.training.small_networks import DescentStep, descend, moments, scale

BATCH = 8
"""Dialogues."""
IMPOSSIBLE = -30.0
PARTS = (
    *("hidden.weight", "hidden.bias"),
    *("units.weight_ih_l0", "units.bias_ih_l0", "units.weight_hh_l0", "units.bias_hh_l0"),
    *("output.weight", "output.bias"),
)
"""What is kept of a network, in the order of the fields of `RecurrentNetworks`."""
UNKNOWN = -100
"""An auxiliary label that is not known; torch's own number for that."""


@dataclass(frozen=True)
class RecurrentRecipe:
    """How networks are fitted.

    Attributes:
        hidden, units: of each, see `RecurrentNetworks`.
        auxiliary: weight of the loss on the auxiliary labels.
    """

    hidden: int = 96
    units: int = 96
    hidden_dropout: float = 0.5
    input_dropout: float = 0.3
    auxiliary: float = 0.5
    epochs: int = 20
    learning_rate: float = 2e-3


@dataclass(frozen=True)
class RecurrentExample:
    """A dialogue.

    Attributes:
        turns: what was read of each, shape (turns, inputs).
        labels: of each turn, shape (turns,).
        possible: whether a turn may have a label, shape (turns, labels).
        auxiliary: another label of each turn that is learned beside the first and then left aside, or `UNKNOWN`; shape (turns,).
    """

    turns: Floats
    labels: NDArray[np.int64]
    possible: NDArray[np.bool_]
    auxiliary: NDArray[np.int64]


class _RecurrentNetwork(nn.Module):
    def __init__(self, inputs: int, labels: int, auxiliary: int, recipe: RecurrentRecipe) -> None:
        super().__init__()
        self.hidden = nn.Linear(inputs, recipe.hidden)
        self.units = nn.GRU(recipe.hidden, recipe.units, batch_first=True)
        self.output = nn.Linear(recipe.hidden + recipe.units, labels)
        self.auxiliary = nn.Linear(recipe.hidden + recipe.units, auxiliary)
        self.input_dropout, self.hidden_dropout = nn.Dropout(recipe.input_dropout), nn.Dropout(recipe.hidden_dropout)

    def forward(self, turns: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.hidden_dropout(torch.relu(self.hidden(self.input_dropout(turns))))
        read = torch.cat([hidden, self.hidden_dropout(self.units(hidden)[0])], -1)
        return self.output(read), self.auxiliary(read)


def fit_recurrent(
    examples: Sequence[RecurrentExample], parts: Sequence[Sequence[int]], recipe: RecurrentRecipe, seed: int
) -> RecurrentNetworks:
    """One network a part: the places of those `examples` that it learns from. Inputs are scaled by all examples."""
    middle, spread = moments(np.concatenate([each.turns for each in examples]))
    scaled = [scale(each.turns, middle, spread) for each in examples]
    fitted = [
        _fitted([examples[at] for at in part], [scaled[at] for at in part], recipe, seed + number)
        for number, part in enumerate(parts)
    ]
    hidden, hidden_bias, gates, gates_bias, states, states_bias, output, output_bias = (
        np.stack(each) for each in zip(*fitted, strict=True)
    )
    return RecurrentNetworks(
        middle, spread, halved(hidden), hidden_bias, halved(gates), gates_bias, halved(states), states_bias, output, output_bias
    )


def _fitted(
    examples: Sequence[RecurrentExample], scaled: Sequence[Tensor], recipe: RecurrentRecipe, seed: int
) -> tuple[NDArray[np.float32], ...]:
    auxiliary = int(max(each.auxiliary.max() for each in examples)) + 1
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _RecurrentNetwork(scaled[0].shape[1], examples[0].possible.shape[1], max(auxiliary, 1), recipe)

        def loss(chosen: Tensor) -> Tensor:
            return _loss(model, [examples[at] for at in chosen], [scaled[at] for at in chosen], recipe.auxiliary)

        descend(model, len(examples), recipe, loss, DescentStep(BATCH, clip=1.0))
    found = {name: value.detach().numpy() for name, value in model.named_parameters()}
    return tuple(found[name].T.copy() for name in PARTS)


def _loss(model: nn.Module, examples: Sequence[RecurrentExample], scaled: Sequence[Tensor], weight: float) -> Tensor:
    values, auxiliary = model(nn.utils.rnn.pad_sequence(list(scaled), batch_first=True))
    there = nn.utils.rnn.pad_sequence([torch.ones(len(each), dtype=torch.bool) for each in scaled], batch_first=True)
    labels, other = (
        torch.from_numpy(np.concatenate([getattr(each, name) for each in examples])) for name in ("labels", "auxiliary")
    )
    impossible = torch.from_numpy(~np.concatenate([each.possible for each in examples]))
    loss = functional.cross_entropy(values[there].masked_fill(impossible, IMPOSSIBLE), labels)
    if weight and (other != UNKNOWN).any():
        loss = loss + weight * functional.cross_entropy(auxiliary[there], other, ignore_index=UNKNOWN)
    return loss
