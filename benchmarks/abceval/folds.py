"""The stored predictions of the cross-validation: every response by a model that saw nothing of its dialogue.

File: `{"about": {…}, "folds": {dialogue: fold}, "thresholds": [{behaviour: threshold} for each fold], "probabilities": {dialogue:
[nine numbers for each response]}}`, the nine in the order of `BEHAVIORS`. It holds no text. The thresholds of a fold are chosen on
the dialogues of the others.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grice.benchmarks.abceval.predictions import Predictions
from grice.models.data.abceval import LabelledResponse
from grice.models.data.files import in_format
from grice.models.errors import DataCorrupt, DataNotFound, shorten
from grice.models.results import BEHAVIORS

FOLDS = Path(__file__).parent / "folds.json"
REPAIR = "run `grice train behaviors --folds`, or use --weights shipped on data that the shipped weights were not trained on"


def read_folds(path: Path, rows: Sequence[LabelledResponse]) -> Predictions:
    """The stored predictions for `rows`, which are all responses of the file that was cross-validated, in its order.

    Raises:
        DataNotFound: there is no such file.
        DataCorrupt: it is damaged, or it is about other dialogues or responses.
    """
    if not path.exists():
        raise DataNotFound(f"{path.name} is not there; {REPAIR}")
    with in_format("stored fold predictions", path.name, REPAIR):
        content = json.loads(path.read_text(encoding="utf-8"))
        about, folds, thresholds = content["about"], content["folds"], content["thresholds"]
        probabilities = content["probabilities"]
        _check_coverage(path, rows, folds, probabilities)
        found = [[_share(number) for number in probabilities[row.dialogue_id][row.place]] for row in rows]
        if any(len(numbers) != len(BEHAVIORS) for numbers in found):
            raise ValueError(f"a response has not {len(BEHAVIORS)} probabilities")
        bars = [[_share(fold[label]) for label in BEHAVIORS] for fold in thresholds]
        chosen = [bars[_fold(folds[row.dialogue_id], len(bars))] for row in rows]
        return Predictions(np.array(found, float), np.array(chosen, float), {"weights": "folds", "folds": len(bars), **about})


def _check_coverage(
    path: Path, rows: Sequence[LabelledResponse], folds: Mapping[str, int], probabilities: Mapping[str, Sequence[Any]]
) -> None:
    responses = Counter(row.dialogue_id for row in rows)
    stored = {key: len(each) for key, each in probabilities.items()}
    if stored == responses and set(folds) == set(responses):
        return
    raise DataCorrupt(
        f"{path.name}: {sum(stored.values())} responses in {len(stored)} dialogues ({len(folds)} with a fold), not the "
        f"{len(rows)} responses in {len(responses)} dialogues of the data; {REPAIR}"
    )


def _share(number: object) -> float:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number <= 1:
        raise ValueError(f"{shorten(number)} is not a number from 0 to 1")
    return float(number)


def _fold(number: object, count: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
        raise ValueError(f"{shorten(number)} is not a fold from 0 to {count - 1}")
    return number
