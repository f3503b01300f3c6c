"""What fitting small networks has in common: scaled inputs, one loop, one network a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from grice.models.runtime.heads import FARTHEST, Floats

SMALLEST_SPREAD = 1e-6


class Epochs(Protocol):
    """The part of a recipe that says how long and how fast to learn."""

    @property
    def epochs(self) -> int: ...

    @property
    def learning_rate(self) -> float: ...


def moments(table: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column; 1 where a column is constant."""
    middle, spread = table.mean(0), table.std(0)
    spread[spread < SMALLEST_SPREAD] = 1.0
    return middle, spread


def scale(table: Floats, middle: Floats, spread: Floats) -> Tensor:
    """The inputs of a network: distances from the mean in standard deviations, at most `FARTHEST`."""
    return torch.from_numpy(np.clip((table - middle) / spread, -FARTHEST, FARTHEST))


@dataclass(frozen=True)
class DescentStep:
    """One step of `descend`.

    Attributes:
        batch: examples that it sees.
        clip: the largest norm of its gradients; None: any.
    """

    batch: int
    clip: float | None = None


def descend(model: nn.Module, count: int, recipe: Epochs, loss: Callable[[Tensor], Tensor], step: DescentStep) -> None:
    """Fit `model` to `count` examples: AdamW, one cycle of the learning rate.

    Args:
        loss: of some examples, by their places.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate)
    steps = recipe.epochs * -(-count // step.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.learning_rate, total_steps=steps)
    for _ in range(recipe.epochs):
        for chosen in torch.randperm(count).split(step.batch):  # type: ignore[no-untyped-call]
            loss(chosen).backward()  # type: ignore[no-untyped-call]
            if step.clip is not None:
                nn.utils.clip_grad_norm_(model.parameters(), step.clip)
            optimizer.step()
            optimizer.zero_grad()
            schedule.step()
