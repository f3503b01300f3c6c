"""Networks of one hidden layer, fitted with torch and handed over to numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from grice.models.behavior_heads import FARTHEST, Networks, halved

BATCH = 64
SMALLEST_SPREAD = 1e-6


@dataclass(frozen=True)
class NetworkRecipe:
    """How networks are fitted.

    Attributes:
        count: networks, alike but for their seed. hidden: units of each.
    """

    count: int = 5
    hidden: int = 128
    hidden_dropout: float = 0.6
    input_dropout: float = 0.4
    epochs: int = 15
    learning_rate: float = 2e-3


def fit_networks(table: NDArray[np.float32], shares: NDArray[np.floating[Any]], recipe: NetworkRecipe, seed: int) -> Networks:
    """Networks that differ by their seed, on inputs (n, inputs) and shares of yes (n, labels), NaN where a label is not known."""
    middle, spread = table.mean(0), table.std(0)
    spread[spread < SMALLEST_SPREAD] = 1.0
    scaled = torch.from_numpy(np.clip((table - middle) / spread, -FARTHEST, FARTHEST))
    fitted = [
        _network(scaled, torch.from_numpy(shares.astype(np.float32)), recipe, seed + number) for number in range(recipe.count)
    ]
    hidden_weights, hidden_bias, output_weights, output_bias = (np.stack(part) for part in zip(*fitted, strict=True))
    return Networks(middle, spread, halved(hidden_weights), hidden_bias, output_weights, output_bias)


def _network(scaled: Tensor, shares: Tensor, recipe: NetworkRecipe, seed: int) -> tuple[NDArray[np.float32], ...]:
    known = ~shares.isnan()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        hidden = nn.Linear(scaled.shape[1], recipe.hidden)
        output = nn.Linear(recipe.hidden, shares.shape[1])
        output.bias.data = torch.logit(shares.nanmean(0).clamp(1e-3, 1 - 1e-3))
        model = nn.Sequential(nn.Dropout(recipe.input_dropout), hidden, nn.ReLU(), nn.Dropout(recipe.hidden_dropout), output)
        optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate)
        steps = recipe.epochs * -(-len(scaled) // BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.learning_rate, total_steps=steps)
        for _ in range(recipe.epochs):
            for chosen in torch.randperm(len(scaled)).split(BATCH):  # type: ignore[no-untyped-call]
                said, wanted = model(scaled[chosen])[known[chosen]], shares[chosen][known[chosen]]
                loss = nn.functional.binary_cross_entropy_with_logits(said, wanted)
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                optimizer.zero_grad()
                schedule.step()
    return tuple(each.detach().numpy().copy() for each in (hidden.weight.T, hidden.bias, output.weight.T, output.bias))
