"""Training the detector of face acts: always by dialogue, calibrated on dialogues that its members did not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from grice.models.face_acts.heads import FaceHeads
from grice.models.manifest import write_manifest
from grice.models.results import FACE_ACTS
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder
from grice.models.training.cross_validation import FoldPlaces, describe, judge_folds, write_folds
from grice.models.training.face_acts.examples import FaceExample, read_examples, written_examples
from grice.models.training.face_acts.members import IntentionRecipe, fit
from grice.models.training.face_acts.other_goals import HELD_HANDS, write_other_heads

FOLDS_FILE = "persuasion_folds.json"


def train_intentions(
    data_dir: Path, out: Path, recipe: IntentionRecipe | None = None, encoder: SentenceEncoder | None = None
) -> Path:
    """Train the heads on all face acts into `out/model` (`heads.npz`, `manifest.json`); returns that folder.

    Raises:
        DataError: the data cannot be read.
    """
    recipe, encoder = recipe or IntentionRecipe(), encoder or load_sentence_encoder()
    examples = read_examples(data_dir, encoder)
    heads = fit(examples, recipe, written_examples(encoder) if recipe.written else ())
    folder = out / "model"
    folder.mkdir(parents=True, exist_ok=True)
    heads.save(folder / "heads.npz")
    others = write_other_heads(folder, encoder)
    turns = sum(len(each.labels) for each in examples)
    write_manifest(
        folder,
        {
            "name": "intentions",
            "version": "1",
            "task": "intentions",
            "settings": {"encoder": encoder.identity, "labels": list(FACE_ACTS)},
            "training": {
                "data": f"face acts in Persuasion For Good, all {turns} utterances of {len(examples)} dialogues",
                "auxiliary_data": "dialogue acts of the same utterances",
                "other_goals": {"held_hands": list(HELD_HANDS), **others},
                "recipe": asdict(recipe),
            },
        },
    )
    return folder


def cross_validate(
    data_dir: Path, out: Path, recipe: IntentionRecipe | None = None, encoder: SentenceEncoder | None = None
) -> Path:
    """Find the face acts of every dialogue by heads that saw nothing of it, into `out/persuasion_folds.json`; returns its path.

    A fold that is done is kept in `out/folds/`, so a stopped run goes on.

    Raises:
        DataError: the data cannot be read.
    """
    recipe, encoder = recipe or IntentionRecipe(), encoder or load_sentence_encoder()
    about = describe(recipe, encoder)
    examples, written = read_examples(data_dir, encoder), written_examples(encoder) if recipe.written else []

    def judge(seen: FoldPlaces, unseen: FoldPlaces, _: Path) -> dict[str, Any]:
        return _found(fit([examples[at] for at in seen], recipe, written), [examples[at] for at in unseen])

    judged = judge_folds([each.dialogue_id for each in examples], recipe, about, out, judge)
    parts = {part: {name: each for fold in judged.found for name, each in fold[part].items()} for part in judged.found[0]}
    return write_folds(out / FOLDS_FILE, about, judged, parts)


def _found(heads: FaceHeads, examples: Sequence[FaceExample]) -> dict[str, Any]:
    found: dict[str, Any] = {"predictions": {}, "probabilities": {}, "agreement": {}}
    for example in examples:
        probabilities = heads.probabilities(example.inputs)
        agreement = heads.agrees(example.inputs, probabilities)
        found["predictions"][example.dialogue_id] = [FACE_ACTS[place] for place in heads.labels(probabilities)]
        found["probabilities"][example.dialogue_id] = np.round(probabilities.astype(float), 4).tolist()
        found["agreement"][example.dialogue_id] = np.round(agreement.astype(float), 4).tolist()
    return found
