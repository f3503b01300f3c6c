"""The auxiliary networks of the behaviour monitor: fitted to other data than ABC-Eval, and then left as they are."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from grice.models.behaviors.heads import network_inputs
from grice.models.behaviors.inputs import read_inputs
from grice.models.runtime.heads import Networks
from grice.models.sentence_encoder.encoder import SentenceEncoder
from grice.models.training.behaviors import auxiliary_examples
from grice.models.training.behaviors.auxiliary_examples import AUXILIARY_LABELS, AuxiliaryExample
from grice.models.training.behaviors.members import BehaviorRecipe
from grice.models.training.heads import fit_networks


def train_auxiliary(data_dir: Path, out: Path, recipe: BehaviorRecipe, encoder: SentenceEncoder) -> Networks:
    """Networks whose labels are `AUXILIARY_LABELS`; kept in `out/auxiliary.npz` for the next call with the same recipe and encoder.

    Raises:
        DataNotFound, DataCorrupt: a data set is missing or damaged.
    """
    path = out / "auxiliary.npz"
    parts = {"recipe": asdict(recipe.auxiliary), "spoilt": recipe.spoilt, "seed": recipe.seed}
    about = json.dumps({**parts, "encoder": encoder.identity, "precision": encoder.precision}, sort_keys=True)
    if path.is_file():
        with np.load(path) as stored:
            if str(stored["about"]) == about:
                return Networks(**{each.name: stored[each.name] for each in fields(Networks)})
    examples = auxiliary_examples.read(data_dir, recipe.spoilt, recipe.seed)
    bar = tqdm(examples, desc="reading other data", mininterval=5)
    table = np.stack([network_inputs(read_inputs(encoder, example.dialogue)) for example in bar])
    networks = fit_networks(table, shares(examples), recipe.auxiliary, recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {**vars(networks), "about": about}
    np.savez(path, **arrays)
    return networks


def shares(examples: list[AuxiliaryExample]) -> NDArray[np.float64]:
    """Shape (examples, labels); NaN where a label is not known."""
    return np.array([[example.shares.get(label, np.nan) for label in AUXILIARY_LABELS] for example in examples])
