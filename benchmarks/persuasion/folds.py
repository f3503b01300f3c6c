"""Stored predictions of face acts: `"predictions": {dialogue: [a label for each utterance]}`, `"probabilities": {dialogue: [eight
numbers for each utterance, in the order of `FACE_ACTS`]}`, `"agreement": {dialogue: [after each utterance, how likely the persuadee
gives]}`. Without `probabilities` there are no answers to multiple-choice questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grice.benchmarks.core.folds import StoredFolds
from grice.benchmarks.persuasion.predictions import Spoken
from grice.benchmarks.persuasion.questions import IntentionQuestion
from grice.benchmarks.stats.metrics import Array
from grice.models.data.face_acts import FaceActDialogue
from grice.models.errors import DataCorrupt
from grice.models.results import FACE_ACTS, FaceAct

FOLDS = Path(__file__).parent / "folds.json"
TRAINS = "intentions"


class FoldPredictor:
    """What the models of the folds found; a `Predictor`.

    Args:
        dialogues: all of the file that was cross-validated.

    Raises:
        DataCorrupt: the stored predictions are damaged, or about other dialogues or utterances.
    """

    def __init__(self, stored: StoredFolds, dialogues: Sequence[FaceActDialogue]) -> None:
        self._stored = stored
        wanted = {each.dialogue_id: len(each.utterances) for each in dialogues}
        with stored.decoding():
            content = stored.content
            self.about: Mapping[str, Any] = {"weights": "folds", "folds": len(set(stored.folds.values())), **stored.about}
            self._labels: Mapping[str, Sequence[FaceAct]] = content["predictions"]
            if unknown := {label for each in self._labels.values() for label in each} - set(FACE_ACTS):
                raise ValueError(f"labels {sorted(unknown)} are none of {FACE_ACTS}")
            numbers = content.get("probabilities")
            self._numbers = None if numbers is None else {key: _shares(rows) for key, rows in numbers.items()}
        for part in (self._labels, self._numbers):
            if part is not None:
                stored.check_coverage({key: len(each) for key, each in part.items()}, wanted, "utterances")

    def labels(self, spoken: Sequence[Spoken]) -> list[FaceAct]:
        """The stored labels."""
        return [self._labels[each.dialogue.dialogue_id][each.place] for each in spoken]

    def probabilities(self, questions: Sequence[IntentionQuestion]) -> Array:
        """The stored ones; the mean over utterances that a question joins.

        Raises:
            DataCorrupt: there are none, or none for a question.
        """
        if self._numbers is None:
            raise DataCorrupt(f"{self._stored.path.name} holds labels and no probabilities; {self._stored.repair}")
        return np.array([self._of(each, self._numbers) for each in questions], float).reshape(-1, len(FACE_ACTS))

    def _of(self, question: IntentionQuestion, numbers: Mapping[str, Array]) -> Array:
        end = question.place + question.joined
        if question.dialogue_id not in numbers or end > len(numbers[question.dialogue_id]):
            raise DataCorrupt(f"{self._stored.path.name} has nothing of question {question.question_id}; {self._stored.repair}")
        mean: Array = numbers[question.dialogue_id][question.place : end].mean(axis=0)
        return mean


def _shares(rows: Sequence[Sequence[float]]) -> Array:
    numbers = np.array(rows, float)
    if numbers.shape != (len(rows), len(FACE_ACTS)) or not ((numbers >= 0) & (numbers <= 1)).all():
        raise ValueError(f"probabilities of shape {numbers.shape} are not {len(FACE_ACTS)} numbers from 0 to 1 for each utterance")
    return numbers
