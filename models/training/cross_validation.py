"""Cross-validation by dialogue: what is judged is judged by heads that saw nothing of its dialogue."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from grice.models.sentence_encoder.encoder import SentenceEncoder

FoldPlaces = NDArray[np.int64]
JudgeFold = Callable[[FoldPlaces, FoldPlaces, Path], Any]
"""From the places of what may be seen, those of what is to be judged, and a folder for what is trained to what was found."""


@dataclass(frozen=True)
class FoldResults:
    """What the heads of each fold found (a JSON value), and the fold of every dialogue."""

    found: list[Any]
    folds: Mapping[str, int]


def fold_of(dialogues: Sequence[str], folds: int, seed: int) -> FoldPlaces:
    """The fold of each item, by the name of its dialogue: dialogues shuffled, then dealt out."""
    names = sorted(set(dialogues))
    order = np.random.default_rng(seed).permutation(len(names))
    place = {names[at]: number % folds for number, at in enumerate(order)}
    return np.array([place[name] for name in dialogues])


def splits(dialogues: Sequence[str], folds: int, seed: int) -> list[tuple[FoldPlaces, FoldPlaces]]:
    """For each fold the places of items of the others, and of its own."""
    fold = fold_of(dialogues, folds, seed)
    return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(folds)]


def describe(recipe: Any, encoder: SentenceEncoder) -> dict[str, Any]:
    """What a fold must agree in to be taken up again: the recipe, a dataclass, and the encoder that is read from."""
    return {"recipe": asdict(recipe), "encoder": encoder.identity, "precision": encoder.precision}


def judge_folds(dialogues: Sequence[str], recipe: Any, about: Mapping[str, Any], out: Path, judge: JudgeFold) -> FoldResults:
    """Let `judge` find something for each fold; a fold that is done is kept in `out/folds/`, so a stopped run goes on.

    Args:
        dialogues: the dialogue of each item.
        recipe: has `folds` and `seed`. about: see `describe`.
    """
    found = []
    for number, (seen, unseen) in enumerate(tqdm(splits(dialogues, recipe.folds, recipe.seed), desc="folds")):
        path = out / "folds" / f"{number}.json"
        kept = _kept(path, about)
        if kept is None:
            kept = judge(seen, unseen, path.with_suffix(""))
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_text(json.dumps({"about": about, "found": kept}), encoding="utf-8")
            partial.replace(path)
        found.append(kept)
    folds = zip(dialogues, fold_of(dialogues, recipe.folds, recipe.seed).tolist(), strict=True)
    return FoldResults(found, dict(folds))


def write_folds(path: Path, about: Mapping[str, Any], judged: FoldResults, parts: Mapping[str, Any]) -> Path:
    """Write what a benchmark replays; returns `path`."""
    content = {"about": about, "folds": judged.folds, **parts}
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    return path


def _kept(path: Path, about: Mapping[str, Any]) -> Any:
    if not path.is_file():
        return None
    stored = json.loads(path.read_text(encoding="utf-8"))
    return stored.get("found") if stored["about"] == json.loads(json.dumps(about)) else None
