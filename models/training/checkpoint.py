"""Checkpoints: a folder with the weights of a trained model, its tokenizer, and what is to be said of the training."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from tokenizers import Tokenizer
from torch import nn

from grice.models.errors import ModelNotFound, WeightsError
from grice.models.manifest import shipped
from grice.models.text.template import read_tokenizer

Network = TypeVar("Network", bound=nn.Module)
Facts = dict[str, Any]
Restore = Callable[[Path, int, Facts], Network]
"""From the folder, the size of the vocabulary and the facts to the network with its weights."""

FACTS, WEIGHTS, TOKENIZER = "training.json", "model.pt", "tokenizer.json"


@dataclass(frozen=True)
class Checkpoint(Generic[Network]):
    """A trained model.

    Attributes:
        model: in evaluation mode.
        facts: recipe, calibration, figures; under `weights` where the weights are from, if not from training.
    """

    folder: Path
    model: Network
    tokenizer: Tokenizer
    facts: Facts


def save_checkpoint(folder: Path, model: Any, tokenizer: Tokenizer, facts: Facts) -> Path:
    """Write a model of ours as its state, one of transformers' as they do; returns `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    if hasattr(model, "generate"):
        model.save_pretrained(folder)
    else:
        torch.save(model.state_dict(), folder / WEIGHTS)
    tokenizer.save(str(folder / TOKENIZER))
    (folder / FACTS).write_text(json.dumps(facts, indent=2, default=str) + "\n", encoding="utf-8")
    return folder


def load_checkpoint(folder: Path, restore: Restore[Network]) -> Checkpoint[Network]:
    """The model in `folder`.

    Raises:
        ModelNotFound: there is none.
        WeightsError: it is damaged, or a checkpoint of another model.
    """
    if not (folder / FACTS).is_file():
        raise ModelNotFound(str(folder), shipped())
    tokenizer = read_tokenizer(folder / TOKENIZER)
    try:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        model = restore(folder, tokenizer.get_vocab_size(), facts)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise WeightsError(f"{folder}: not a checkpoint of this model ({error!r}); train or export it again") from error
    return Checkpoint(folder, model.eval(), tokenizer, facts)


def started_from(start: Path | None) -> Facts:
    """What the facts of a model say of the checkpoint in `start` that its training began with."""
    if start is None:
        return {}
    facts = json.loads((start / FACTS).read_text(encoding="utf-8"))
    return {"started_from": facts.get("weights", "a checkpoint of ours")}


def with_weights(model: Network, folder: Path) -> Network:
    """`model` with the state in `folder`."""
    model.load_state_dict(torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True))
    return model
