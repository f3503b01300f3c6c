"""The stored predictions of the cross-validation: every utterance by a model that saw nothing of its dialogue.

File: `{"about": {…}, "folds": {dialogue: fold}, "predictions": {dialogue: [a label for each utterance]}, "probabilities":
{dialogue: [eight numbers for each utterance, in the order of `FACE_ACTS`]}}`. It holds no text. Without `probabilities` there
are no answers to multiple-choice questions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grice.benchmarks.persuasion.predictions import Spoken
from grice.benchmarks.persuasion.questions import IntentionQuestion
from grice.benchmarks.stats.metrics import Array
from grice.models.data.face_acts import FaceActDialogue
from grice.models.data.files import in_format
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.results import FACE_ACTS, FaceAct

FOLDS = Path(__file__).parent / "folds.json"
REPAIR = "run `grice train intentions --folds`, or use --weights shipped on data that the shipped weights were not trained on"


@dataclass(frozen=True)
class StoredFolds:
    """What the models of the folds found, by dialogue; a `Predictor`.

    Attributes:
        name: of the file.
        about: how it came to be.
        stored: the labels of a dialogue's utterances.
        numbers: shape (utterances, `FACE_ACTS`) for each dialogue; None where the file has none.
    """

    name: str
    about: Mapping[str, Any]
    stored: Mapping[str, Sequence[FaceAct]]
    numbers: Mapping[str, Array] | None

    def labels(self, spoken: Sequence[Spoken]) -> list[FaceAct]:
        """The stored labels."""
        return [self.stored[each.dialogue.dialogue_id][each.place] for each in spoken]

    def probabilities(self, questions: Sequence[IntentionQuestion]) -> Array:
        """The stored ones; the mean over utterances that a question joins.

        Raises:
            DataCorrupt: there are none, or none for a question.
        """
        if self.numbers is None:
            raise DataCorrupt(f"{self.name} holds labels and no probabilities; {REPAIR}")
        return np.array([self._of(each, self.numbers) for each in questions], float).reshape(-1, len(FACE_ACTS))

    def _of(self, question: IntentionQuestion, numbers: Mapping[str, Array]) -> Array:
        end = question.place + question.joined
        if question.dialogue_id not in numbers or end > len(numbers[question.dialogue_id]):
            raise DataCorrupt(f"{self.name} has nothing of question {question.question_id}; {REPAIR}")
        mean: Array = numbers[question.dialogue_id][question.place : end].mean(axis=0)
        return mean


def read_folds(path: Path, dialogues: Sequence[FaceActDialogue]) -> StoredFolds:
    """The stored predictions for `dialogues`, which are all of the file that was cross-validated.

    Raises:
        DataNotFound: there is no such file.
        DataCorrupt: it is damaged, or it is about other dialogues or utterances.
    """
    if not path.exists():
        raise DataNotFound(f"{path.name} is not there; {REPAIR}")
    with in_format("stored fold predictions", path.name, REPAIR):
        content = json.loads(path.read_text(encoding="utf-8"))
        about, folds, labels = content["about"], content["folds"], content["predictions"]
        if unknown := {label for each in labels.values() for label in each} - set(FACE_ACTS):
            raise ValueError(f"labels {sorted(unknown)} are none of {FACE_ACTS}")
        numbers = {key: _shares(rows) for key, rows in content["probabilities"].items()} if "probabilities" in content else None
        for part in (labels, *([] if numbers is None else [numbers])):
            _check_coverage(path, dialogues, folds, part)
        return StoredFolds(path.name, {"weights": "folds", "folds": len(set(folds.values())), **about}, labels, numbers)


def cross_validated(path: Path) -> frozenset[str]:
    """The dialogues that have a fold, which the shipped weights are trained on; none where there is no such file.

    Raises:
        DataCorrupt: it is damaged.
    """
    if not path.exists():
        return frozenset()
    with in_format("stored fold predictions", path.name, REPAIR):
        return frozenset(json.loads(path.read_text(encoding="utf-8"))["folds"])


def _shares(rows: Sequence[Sequence[float]]) -> Array:
    numbers = np.array(rows, float)
    if numbers.shape != (len(rows), len(FACE_ACTS)) or not ((numbers >= 0) & (numbers <= 1)).all():
        raise ValueError(f"probabilities of shape {numbers.shape} are not {len(FACE_ACTS)} numbers from 0 to 1 for each utterance")
    return numbers


def _check_coverage(
    path: Path, dialogues: Sequence[FaceActDialogue], folds: Mapping[str, int], stored: Mapping[str, Sequence[Any] | Array]
) -> None:
    wanted = {each.dialogue_id: len(each.utterances) for each in dialogues}
    found = {key: len(each) for key, each in stored.items()}
    if found == wanted and set(folds) == set(wanted):
        return
    raise DataCorrupt(
        f"{path.name}: {sum(found.values())} utterances in {len(found)} dialogues ({len(folds)} with a fold), not the "
        f"{sum(wanted.values())} utterances in {len(wanted)} dialogues of the data; {REPAIR}"
    )
