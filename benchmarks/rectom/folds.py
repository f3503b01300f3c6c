"""The stored answers of the cross-validation: every question by a model that saw nothing of its dialogue.

File: `{"about": {…}, "folds": {dialogue: fold}, "predictions": {task: {question id: "AC"}}}`, the letters of the chosen options. It
holds no text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.benchmarks.rectom.metrics import Answers, Questions
from grice.models.data.files import in_format
from grice.models.errors import DataCorrupt, DataNotFound, shorten
from grice.models.minds.questions import MindQuestion

FOLDS = Path(__file__).parent / "folds.json"
REPAIR = "run `grice train mind --folds`, or use --weights shipped on data that the shipped weights were not trained on"


@dataclass(frozen=True)
class StoredFolds:
    """What the models of the folds answered.

    Attributes:
        name: of the file.
        about: how they came to be.
        folds: the fold of each dialogue.
        predictions: letters by task and question id.
    """

    name: str
    about: Mapping[str, Any]
    folds: Mapping[str, int]
    predictions: Mapping[str, Mapping[str, str]]

    def answers(self, questions: Questions) -> Answers:
        """The stored answers to `questions`.

        Raises:
            DataCorrupt: one has no stored answer, or one that is not among its options.
        """
        return {task: [self._answer(question) for question in each] for task, each in questions.items()}

    def _answer(self, question: MindQuestion) -> frozenset[str]:
        stored = self.predictions.get(question.task, {}).get(question.question_id)
        where = f"{self.name}: {question.task} {question.question_id}"
        if stored is None or question.dialogue_id not in self.folds:
            raise DataCorrupt(f"{where} has no stored answer; {REPAIR}")
        letters = [option.letter for option in question.options]
        if not stored or not set(stored) <= set(letters):
            raise DataCorrupt(f"{where}: the answer is {shorten(stored)}, not letters of {''.join(letters)}; {REPAIR}")
        return frozenset(stored)


def read_folds(path: Path = FOLDS) -> StoredFolds:
    """The stored answers.

    Raises:
        DataNotFound: there is no such file.
        DataCorrupt: it is damaged.
    """
    if not path.exists():
        raise DataNotFound(f"{path.name} is not there; {REPAIR}")
    with in_format("stored fold predictions", path.name, REPAIR):
        content = json.loads(path.read_text(encoding="utf-8"))
        predictions = {task: dict(each) for task, each in content["predictions"].items()}
        return StoredFolds(path.name, dict(content["about"]), dict(content["folds"]), predictions)
