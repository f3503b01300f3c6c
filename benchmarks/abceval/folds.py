"""ABC-Eval's stored predictions: `"thresholds": [{behaviour: threshold} for each fold], "probabilities": {dialogue: [nine numbers
for each response]}`, the nine in the order of `BEHAVIORS`. The thresholds of a fold are chosen on the dialogues of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from grice.benchmarks.abceval.predictions import Predictions
from grice.benchmarks.core.folds import StoredFolds
from grice.models.data.abceval import LabelledResponse
from grice.models.errors import shorten
from grice.models.results import BEHAVIORS

FOLDS = Path(__file__).parent / "folds.json"
TRAINS = "behaviors"


def stored_predictions(stored: StoredFolds, rows: Sequence[LabelledResponse]) -> Predictions:
    """Those for `rows`, which are all responses of the file that was cross-validated, in its order.

    Raises:
        DataCorrupt: the stored ones are damaged, or about other dialogues or responses.
    """
    with stored.decoding():
        folds, thresholds, probabilities = stored.folds, stored.content["thresholds"], stored.content["probabilities"]
        counts = {key: len(each) for key, each in probabilities.items()}
        stored.check_coverage(counts, Counter(row.dialogue_id for row in rows), "responses")
        found = [[_share(number) for number in probabilities[row.dialogue_id][row.place]] for row in rows]
        if any(len(numbers) != len(BEHAVIORS) for numbers in found):
            raise ValueError(f"a response has not {len(BEHAVIORS)} probabilities")
        bars = [[_share(fold[label]) for label in BEHAVIORS] for fold in thresholds]
        chosen = [bars[_fold(folds[row.dialogue_id], len(bars))] for row in rows]
        about = {"weights": "folds", "folds": len(bars), **stored.about}
        return Predictions(np.array(found, float), np.array(chosen, float), about)


def _share(number: object) -> float:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number <= 1:
        raise ValueError(f"{shorten(number)} is not a number from 0 to 1")
    return float(number)


def _fold(number: object, count: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
        raise ValueError(f"{shorten(number)} is not a fold from 0 to {count - 1}")
    return number
