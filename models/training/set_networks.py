"""Fitting `models/runtime/set_networks.py` with torch: the log-likelihood of the sets, and of the coarser sets that they imply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from grice.models.runtime.heads import Floats, halved
from grice.models.runtime.set_networks import SetNetworks
from grice.models.training.small_networks import DescentStep, descend, moments, scale

UNSEEN = 0.3
"""What is added to how often a set occurs, where its value begins."""


@dataclass(frozen=True)
class SetRecipe:
    """How the networks of one head are fitted.

    Attributes:
        networks: alike but for their seed. hidden: units of each, for the parts and for the whole.
        coarse: weight of the likelihood of the coarser sets, 0 to 1.
    """

    networks: int = 4
    hidden: int = 64
    input_dropout: float = 0.3
    hidden_dropout: float = 0.5
    epochs: int = 20
    batch: int = 64
    learning_rate: float = 3e-3
    coarse: float = 0.5


@dataclass(frozen=True)
class Sets:
    """What is to be found.

    Attributes:
        members: which labels a set has, shape (sets, labels).
        coarser: which coarser set a set belongs to, shape (sets, coarser sets), one 1 a row.
        gold: the right set of each of n examples, shape (n,).
    """

    members: Tensor
    coarser: Tensor
    gold: Tensor

    @classmethod
    def of(cls, members: Floats, coarser: Sequence[int], gold: Sequence[int]) -> Sets:
        """With the number of the coarser set that each set belongs to."""
        table = np.zeros((len(coarser), max(coarser) + 1), np.float32)
        table[np.arange(len(coarser)), list(coarser)] = 1
        return cls(torch.from_numpy(members), torch.from_numpy(table), torch.tensor(gold))

    def bias(self) -> Tensor:
        """Where the value of each set begins: the logarithm of its share."""
        counts = torch.bincount(self.gold, minlength=len(self.members)).float()
        return torch.log((counts + UNSEEN) / len(self.gold))

    def loss(self, values: Tensor, gold: Tensor, coarse: float) -> Tensor:
        """The weighted mean of both negative log-likelihoods; `values` have the shape (n, sets)."""
        logs = torch.log_softmax(values, 1)
        coarser = torch.log(torch.exp(logs) @ self.coarser + 1e-12)
        wanted = self.coarser.argmax(1)[gold]
        nll = nn.functional.nll_loss
        return (1 - coarse) * nll(logs, gold) + coarse * nll(coarser, wanted)


class _SetNetwork(nn.Module):
    def __init__(self, part_inputs: int, whole_inputs: int, sets: Sets, recipe: SetRecipe) -> None:
        super().__init__()
        labels = sets.members.shape[1]
        self.part, self.whole = nn.Linear(part_inputs, recipe.hidden), nn.Linear(whole_inputs, recipe.hidden)
        self.part_output = nn.Linear(recipe.hidden, labels, bias=False)
        self.whole_output = nn.Linear(recipe.hidden, labels)
        self.set_bias = nn.Parameter(sets.bias())
        self.inputs, self.hidden = nn.Dropout(recipe.input_dropout), nn.Dropout(recipe.hidden_dropout)
        self.members = sets.members

    def forward(self, parts: Tensor, there: Tensor, whole: Tensor) -> Tensor:
        of_parts = self.part_output(self.hidden(torch.relu(self.part(self.inputs(parts)))))
        highest = of_parts.masked_fill(~there[..., None], float("-inf")).max(1).values
        of_whole = self.whole_output(self.hidden(torch.relu(self.whole(self.inputs(whole)))))
        values: Tensor = (highest + of_whole) @ self.members.T + self.set_bias
        return values

    def arrays(self) -> tuple[NDArray[np.float32], ...]:
        """The trained part of `SetNetworks`, in its order."""
        parameters = (
            *(self.part.weight.T, self.part.bias, self.whole.weight.T, self.whole.bias),
            *(self.part_output.weight.T, self.whole_output.weight.T, self.whole_output.bias, self.set_bias),
        )
        return tuple(each.detach().numpy().copy() for each in parameters)


def fit_networks(parts: Sequence[Floats], whole: Floats, sets: Sets, recipe: SetRecipe, seed: int) -> SetNetworks:
    """Networks that differ by their seed.

    Args:
        parts: of each of n examples, shape (its parts, part inputs).
        whole: shape (n, whole inputs).
    """
    part_middle, part_spread = moments(np.concatenate(parts))
    whole_middle, whole_spread = moments(whole)
    there = torch.zeros(len(parts), max(map(len, parts)), dtype=torch.bool)
    table = torch.zeros(*there.shape, len(part_middle))
    for row, part in enumerate(parts):
        there[row, : len(part)] = True
        table[row, : len(part)] = scale(part, part_middle, part_spread)
    around = scale(whole, whole_middle, whole_spread)
    fitted = []
    for number in range(recipe.networks):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed + number)
            fitted.append(_fit(table, there, around, sets, recipe).arrays())
    part_weights, part_bias, whole_weights, *rest = (np.stack(each) for each in zip(*fitted, strict=True))
    scales = part_middle, part_spread, whole_middle, whole_spread
    return SetNetworks(*scales, halved(part_weights), part_bias, halved(whole_weights), *rest)


def _fit(parts: Tensor, there: Tensor, whole: Tensor, sets: Sets, recipe: SetRecipe) -> _SetNetwork:
    network = _SetNetwork(parts.shape[2], whole.shape[1], sets, recipe)

    def loss(chosen: Tensor) -> Tensor:
        return sets.loss(network(parts[chosen], there[chosen], whole[chosen]), sets.gold[chosen], recipe.coarse)

    descend(network, len(whole), recipe, loss, DescentStep(recipe.batch))
    return network
