"""`grice export mean`: the mean of two checkpoints' weights, where one was trained on from the other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import torch
from torch import Tensor

from grice.models.errors import InputError, ModelNotFound, WeightsError
from grice.models.manifest import shipped
from grice.models.training.checkpoint import FACTS, WEIGHTS, Facts


def mean_checkpoints(before: Path, after: Path, share: float, out: Path) -> Path:
    """Write `share` of the weights of `after` and the rest of those of `before` into `out`; returns `out`.

    All else is as `after` has it; its facts say what it is the mean of. What a network forgot in a second training comes back that
    way, and most of what it learnt stays (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models").

    Raises:
        ModelNotFound: one of them is no checkpoint. WeightsError: they are of different networks.
        InputError: the share is none, or `out` is one of both.
    """
    if not 0 < share < 1:
        raise InputError("share", share, "between 0 and 1")
    if out.resolve() in (before.resolve(), after.resolve()):
        raise InputError("out", str(out), "another folder than those of both checkpoints")
    first, second = _read(before), _read(after)
    if {name: value.shape for name, value in first.items()} != {name: value.shape for name, value in second.items()}:
        raise WeightsError(f"{before}, {after}: not checkpoints of one network; begin the second training with `--from {before}`")
    shutil.copytree(after, out, dirs_exist_ok=True)
    state = {name: value.lerp(second[name], share) if value.is_floating_point() else second[name] for name, value in first.items()}
    torch.save(state, out / WEIGHTS)
    facts = _facts(after) | {"mean": {"share": share, "before": _facts(before).get("weights", "a checkpoint of ours")}}
    (out / FACTS).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return out


def _read(folder: Path) -> dict[str, Tensor]:
    if not (folder / WEIGHTS).is_file():
        raise ModelNotFound(str(folder), shipped())
    found: dict[str, Tensor] = torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True)
    return found


def _facts(folder: Path) -> Facts:
    facts: Facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    return facts
