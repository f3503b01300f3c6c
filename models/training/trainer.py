"""One training loop for every model: AdamW, warm-up and linear decay, averaged weights, progress, checkpoints, resume."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn
from tqdm import tqdm

from grice.models.errors import InputError

Batch = TypeVar("Batch")


@dataclass(frozen=True)
class Schedule:
    """How long and how hard to train.

    `average` is the decay of the exponential moving average of the weights (0: none); the averaged weights are what is
    evaluated and kept. `warmup` is a fraction of all steps. `checkpoint_every` counts steps. `minutes` (0: as long as it takes)
    ends training earlier on a slow machine; the rate then falls with time.
    """

    epochs: int
    learning_rate: float
    warmup: float = 0.05
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.0
    checkpoint_every: int = 200
    decay: bool = True
    minutes: float = 0.0


def choose_device(name: str) -> torch.device:
    """The torch device for "auto", "cpu" or "cuda".

    Raises:
        InputError: unknown, or not there.
    """
    there = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    if name == "auto":
        return torch.device(there[-1])
    if name not in there:
        raise InputError("device", name, f"auto, {', '.join(there)}")
    return torch.device(name)


@dataclass(frozen=True)
class Objective(Generic[Batch]):
    """What a model learns, and how it is judged.

    Attributes:
        batches: the batches of an epoch; the same epoch must give the same batches, or a resumed run differs.
        loss: the loss of one batch, a scalar tensor.
        evaluate: a score of the (averaged) model after each epoch, the higher the better, and figures to log.
        half: whether the loss is computed in half precision where that is exact enough.
        faster: by how many times the learning rate of parameters is larger whose names begin so.
    """

    batches: Callable[[int], Sequence[Batch]]
    loss: Callable[[nn.Module, Batch], Tensor]
    evaluate: Callable[[nn.Module], tuple[float, dict[str, float]]]
    half: bool = True
    faster: Mapping[str, float] = field(default_factory=dict)


class Trainer(Generic[Batch]):
    """Trains `model` and keeps `folder/checkpoint.pt` and `folder/best.pt`, so that a stopped run goes on."""

    def __init__(
        self, model: nn.Module, folder: Path, schedule: Schedule, objective: Objective[Batch], device: torch.device
    ) -> None:
        self.model = model.to(device)
        self.folder = folder
        self.schedule = schedule
        self.batches = objective.batches
        self.loss = objective.loss
        self.evaluate = objective.evaluate
        self.device = device
        self.half = objective.half
        self.steps_per_epoch = len(self.batches(0))
        self.total = schedule.epochs * self.steps_per_epoch
        self.optimizer = torch.optim.AdamW(_groups(model, schedule, objective.faster), lr=schedule.learning_rate, fused=True)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._rate)
        self.average = {name: value.detach().clone() for name, value in model.state_dict().items()} if schedule.average else None
        self.step = 0
        self.seconds, self.began = 0.0, time.monotonic()
        self.best = -math.inf

    def _rate(self, step: int) -> float:
        warmup = max(1, round(self.schedule.warmup * self.total))
        if step < warmup:
            return (step + 1) / warmup
        left = (self.total - step) / max(1, self.total - warmup)
        return max(0.0, min(left, 1 - self._spent())) if self.schedule.decay else 1.0

    def _spent(self) -> float:
        """The share of the minutes that are gone."""
        if not self.schedule.minutes:
            return 0.0
        return (self.seconds + time.monotonic() - self.began) / (60 * self.schedule.minutes)

    def fit(self) -> float:
        """Train to the end, from the checkpoint if there is one. Leaves the best (averaged) weights in the model.

        Returns their score.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._resume()
        for epoch in range(self.step // self.steps_per_epoch, self.schedule.epochs):
            self._epoch(epoch)
            with self._averaged():
                score, figures = self.evaluate(self.model.eval())
                if score > self.best:
                    self.best = score
                    torch.save(self.model.state_dict(), self.folder / "best.pt")
            self._log(epoch, figures)
            self._checkpoint()
            if self._spent() >= 1:
                break
        self.model.load_state_dict(torch.load(self.folder / "best.pt", map_location=self.device, weights_only=True))
        return self.best

    def _epoch(self, epoch: int) -> None:
        todo = self.batches(epoch)[self.step - epoch * self.steps_per_epoch :]
        bar = tqdm(todo, desc=f"epoch {epoch + 1}/{self.schedule.epochs}", mininterval=10)
        total = count = 0.0
        self.model.train()
        for batch in bar:
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.half):
                loss = self.loss(self.model, batch)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.model.parameters(), self.schedule.clip)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            self.scheduler.step()
            self.step += 1
            self._update_average()
            total, count = total + loss.item(), count + 1
            bar.set_postfix(loss=f"{total / count:.3f}", refresh=False)
            if self.step % self.schedule.checkpoint_every == 0:
                self._checkpoint()
            if self._spent() >= 1:
                break

    @torch.no_grad()
    def _update_average(self) -> None:
        if self.average is None:
            return
        decay = min(self.schedule.average, (1 + self.step) / (10 + self.step))
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                self.average[name].lerp_(value, 1 - decay)

    def _averaged(self) -> _Swapped:
        return _Swapped(self.model, self.average)

    def _checkpoint(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "step": self.step,
            "best": self.best,
            "seconds": self.seconds + time.monotonic() - self.began,
            "rng": torch.get_rng_state(),
            "schedule": repr((self.schedule, self.steps_per_epoch)),
        }
        partial = self.folder / "checkpoint.pt.partial"
        torch.save(state, partial)
        partial.replace(self.folder / "checkpoint.pt")

    def _resume(self) -> None:
        path = self.folder / "checkpoint.pt"
        if not path.exists():
            return
        state = torch.load(path, map_location=self.device, weights_only=True)
        if state["schedule"] != repr((self.schedule, self.steps_per_epoch)):
            raise InputError("checkpoint", str(path), "one of the same schedule and data; remove it to start again")
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.step, self.best = state["step"], state["best"]
        self.seconds, self.began = state.get("seconds", 0.0), time.monotonic()
        torch.set_rng_state(state["rng"].cpu())

    def _log(self, epoch: int, figures: dict[str, float]) -> None:
        line = json.dumps({"epoch": epoch + 1, "step": self.step, **{name: round(value, 4) for name, value in figures.items()}})
        tqdm.write(line)
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(line + "\n")


def _groups(model: nn.Module, schedule: Schedule, faster: Mapping[str, float]) -> list[dict[str, Any]]:
    """What the optimiser is told of parameters: matrices decay; some learn faster."""
    found: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            decay = schedule.weight_decay if parameter.ndim > 1 else 0.0
            times = next((factor for start, factor in faster.items() if name.startswith(start)), 1.0)
            found.setdefault((decay, times), []).append(parameter)
    return [
        {"params": parameters, "weight_decay": decay, "lr": times * schedule.learning_rate}
        for (decay, times), parameters in found.items()
    ]


class _Swapped:
    """The averaged weights in the model, for as long as the block runs."""

    def __init__(self, model: nn.Module, average: dict[str, Tensor] | None) -> None:
        self.model = model
        self.average = average
        self.kept: dict[str, Tensor] = {}

    def __enter__(self) -> None:
        if self.average is not None:
            self.kept = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
            self.model.load_state_dict(self.average)

    def __exit__(self, *_: object) -> None:
        if self.average is not None:
            self.model.load_state_dict(self.kept)


def bucketed(lengths: Sequence[int], batch_size: int, generator: torch.Generator) -> Iterator[list[int]]:
    """Indices in shuffled batches whose members have nearly the same length, so that little is padding."""
    order = torch.randperm(len(lengths), generator=generator).tolist()
    pool = batch_size * 50
    batches = []
    for start in range(0, len(order), pool):
        chunk = sorted(order[start : start + pool], key=lambda index: lengths[index])
        batches += [chunk[place : place + batch_size] for place in range(0, len(chunk), batch_size)]
    for number in torch.randperm(len(batches), generator=generator).tolist():
        yield batches[number]
