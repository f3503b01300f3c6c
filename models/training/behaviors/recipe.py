"""Training the behaviour monitor's heads on ABC-Eval: always by dialogue, calibrated and given thresholds on held-out dialogues."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from grice.models.behaviors.heads import BehaviorHeads
from grice.models.manifest import write_manifest
from grice.models.results import BEHAVIORS, Behavior
from grice.models.runtime.heads import Networks, logit, sigmoid
from grice.models.sentence_encoder.encoder import SentenceEncoder, load_sentence_encoder
from grice.models.training.behaviors.auxiliary import train_auxiliary
from grice.models.training.behaviors.members import BehaviorExamples, BehaviorRecipe, fit_members, read_examples
from grice.models.training.heads import Matrix

Thresholds = dict[Behavior, float]


def fold_of(dialogues: Sequence[str], folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each dialogue's responses: dialogues shuffled, then dealt out."""
    names = sorted(set(dialogues))
    order = np.random.default_rng(seed).permutation(len(names))
    place = {names[at]: number % folds for number, at in enumerate(order)}
    return np.array([place[name] for name in dialogues])


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
    inner = fold_of(examples.dialogues, recipe.inner_folds, recipe.seed + 1)
    held_out = np.zeros(examples.labels.shape[:2])
    for fold in range(recipe.inner_folds):
        seen, unseen = np.flatnonzero(inner != fold), np.flatnonzero(inner == fold)
        held_out[unseen] = means(fit_members(examples.at(seen), auxiliary, recipe), examples.at(unseen))
    return calibrated(fit_members(examples, auxiliary, recipe), held_out, examples.labels)


def train_behaviors(
    data_dir: Path, out: Path, recipe: BehaviorRecipe | None = None, encoder: SentenceEncoder | None = None, version: str = "1"
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
            "version": version,
            "task": "behaviors",
            "settings": {
                "encoder": encoder.identity,
                "labels": list(BEHAVIORS),
                "thresholds": thresholds,
            },
            "training": {
                "data": f"ABC-Eval, all {len(examples.inputs)} doubly annotated responses",
                "auxiliary_data": "DBDC3, ProSeCCo, BEGIN; Persuasion For Good, SGD train, MultiWOZ val (see auxiliary_examples)",
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
    about = {
        "recipe": asdict(recipe),
        "encoder": encoder.identity,
        "precision": encoder.precision,
    }
    auxiliary = train_auxiliary(data_dir, out, recipe, encoder)
    examples = read_examples(data_dir, encoder)
    folds = fold_of(examples.dialogues, recipe.folds, recipe.seed)
    bar = tqdm(range(recipe.folds), desc="folds")
    done = [_fold(examples, auxiliary, folds, number, recipe, out / "folds", about) for number in bar]
    found = np.zeros(examples.labels.shape[:2])
    for number, fold in enumerate(done):
        found[folds == number] = fold["probabilities"]
    probabilities: dict[str, list[list[float]]] = {name: [] for name in examples.dialogues}
    for name, row in zip(examples.dialogues, found, strict=True):
        probabilities[name].append([round(float(value), 4) for value in row])
    path = out / "abceval_folds.json"
    content = {
        "about": about,
        "folds": {name: int(fold) for name, fold in zip(examples.dialogues, folds, strict=True)},
        "thresholds": [fold["thresholds"] for fold in done],
        "probabilities": probabilities,
    }
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    return path


def _fold(
    examples: BehaviorExamples,
    auxiliary: Networks,
    folds: NDArray[np.int64],
    number: int,
    recipe: BehaviorRecipe,
    kept: Path,
    about: dict[str, Any],
) -> dict[str, Any]:
    path = kept / f"{number}.json"
    if path.is_file():
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if stored["about"] == json.loads(json.dumps(about)):
            return stored
    heads, thresholds = fit(examples.at(np.flatnonzero(folds != number)), auxiliary, recipe)
    unseen = examples.at(np.flatnonzero(folds == number))
    found = [heads.probabilities(each).astype(float).tolist() for each in unseen.inputs]
    result = {"about": about, "thresholds": thresholds, "probabilities": found}
    kept.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result), encoding="utf-8")
    partial.replace(path)
    return result
