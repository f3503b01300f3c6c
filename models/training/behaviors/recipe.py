"""Training the behaviour monitor's heads on ABC-Eval: always by dialogue, calibrated and given thresholds on held-out dialogues."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from grice.models.behaviors.heads import BehaviorHeads
from grice.models.manifest import write_manifest
from grice.models.results import BEHAVIORS, Behavior
from grice.models.runtime.heads import Networks, logit, sigmoid
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder
from grice.models.training.behaviors.auxiliary import train_auxiliary
from grice.models.training.behaviors.members import BehaviorExamples, BehaviorRecipe, fit_members, read_examples
from grice.models.training.cross_validation import FoldPlaces, describe, judge_folds, splits, write_folds
from grice.models.training.heads import Matrix

Thresholds = dict[Behavior, float]


def means(heads: BehaviorHeads, examples: BehaviorExamples) -> Matrix:
    """What the members say on average before calibration, shape (n, behaviours)."""
    return np.stack([heads.mean(each) for each in examples.inputs]).astype(float)


def calibrated(heads: BehaviorHeads, held_out: Matrix, labels: Matrix) -> tuple[BehaviorHeads, Thresholds]:
    """The heads with Platt's curve, and a threshold a behaviour, both from means on dialogues that the members did not see."""
    slope, offset = [], []
    thresholds: Thresholds = {}
    for column, label in enumerate(BEHAVIORS):
        raw = logit(held_out[:, column].astype(np.float32)).astype(float)[:, None]
        curve = LogisticRegression(C=1e6).fit(np.concatenate([raw, raw]), labels[:, column].T.ravel())
        slope.append(float(curve.coef_[0, 0]))
        offset.append(float(curve.intercept_[0]))
        thresholds[label] = best_threshold(sigmoid((slope[-1] * raw[:, 0] + offset[-1]).astype(np.float32)))
    return replace(heads, slope=np.array(slope, np.float32), offset=np.array(offset, np.float32)), thresholds


def best_threshold(probabilities: NDArray[np.float32]) -> float:
    """Where the expected F1 is highest if the probabilities are true: the first k of them, sorted, give 2 Σ p / (k + Σ all p).

    Jansche 2007 and Lipton et al. 2014. Labels are not used, so that rare behaviours do not give a threshold by luck.
    """
    ordered = np.sort(probabilities.astype(float))[::-1]
    expected = 2 * ordered.cumsum() / (np.arange(1, len(ordered) + 1) + ordered.sum())
    return round(float(ordered[int(expected.argmax())]), 4)


def fit(examples: BehaviorExamples, auxiliary: Networks, recipe: BehaviorRecipe) -> tuple[BehaviorHeads, Thresholds]:
    """Heads and thresholds from these examples alone: members on all, calibration on an inner cross-validation."""
    held_out = np.zeros(examples.labels.shape[:2])
    for seen, unseen in splits(examples.dialogues, recipe.inner_folds, recipe.seed + 1):
        held_out[unseen] = means(fit_members(examples.at(seen), auxiliary, recipe), examples.at(unseen))
    return calibrated(fit_members(examples, auxiliary, recipe), held_out, examples.labels)


def train_behaviors(
    data_dir: Path, out: Path, recipe: BehaviorRecipe | None = None, encoder: SentenceEncoder | None = None
) -> Path:
    """Train the heads on all of ABC-Eval into `out/model` (`heads.npz`, `manifest.json`); returns that folder.

    Raises:
        DataError: the data cannot be read.
    """
    recipe, encoder = recipe or BehaviorRecipe(), encoder or load_sentence_encoder()
    auxiliary = train_auxiliary(data_dir, out, recipe, encoder)
    examples = read_examples(data_dir, encoder)
    heads, thresholds = fit(examples, auxiliary, recipe)
    folder = out / "model"
    folder.mkdir(parents=True, exist_ok=True)
    heads.save(folder / "heads.npz")
    write_manifest(
        folder,
        {
            "name": "behaviors",
            "version": "1",
            "task": "behaviors",
            "settings": {
                "encoder": encoder.identity,
                "labels": list(BEHAVIORS),
                "thresholds": thresholds,
            },
            "training": {
                "data": f"ABC-Eval, all {len(examples.inputs)} doubly annotated responses",
                "auxiliary_data": "DBDC3, ProSeCCo, BEGIN; Persuasion For Good, SGD train, MultiWOZ val (see `auxiliary`)",
                "recipe": asdict(recipe),
            },
        },
    )
    return folder


def cross_validate(data_dir: Path, out: Path, recipe: BehaviorRecipe | None = None, encoder: SentenceEncoder | None = None) -> Path:
    """Score every response by heads that saw nothing of its dialogue, into `out/abceval_folds.json`; returns its path.

    A fold that is done is kept in `out/folds/`, so a stopped run goes on.

    Raises:
        DataError: the data cannot be read.
    """
    recipe, encoder = recipe or BehaviorRecipe(), encoder or load_sentence_encoder()
    about = describe(recipe, encoder)
    auxiliary = train_auxiliary(data_dir, out, recipe, encoder)
    examples = read_examples(data_dir, encoder)

    def judge(seen: FoldPlaces, unseen: FoldPlaces, _: Path) -> dict[str, Any]:
        heads, thresholds = fit(examples.at(seen), auxiliary, recipe)
        found = [heads.probabilities(each).astype(float).tolist() for each in examples.at(unseen).inputs]
        return {"thresholds": thresholds, "probabilities": dict(zip(map(str, unseen), found, strict=True))}

    judged = judge_folds(examples.dialogues, recipe, about, out, judge)
    found = {int(place): row for fold in judged.found for place, row in fold["probabilities"].items()}
    probabilities: dict[str, list[list[float]]] = {name: [] for name in examples.dialogues}
    for place, name in enumerate(examples.dialogues):
        probabilities[name].append([round(value, 4) for value in found[place]])
    thresholds = [fold["thresholds"] for fold in judged.found]
    return write_folds(out / "abceval_folds.json", about, judged, {"thresholds": thresholds, "probabilities": probabilities})
