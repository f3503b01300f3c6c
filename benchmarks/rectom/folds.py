"""RecToM's stored answers: `"predictions": {task: {question id: "AC"}}`, the letters of the chosen options."""

from __future__ import annotations

from pathlib import Path

from grice.benchmarks.core.folds import StoredFolds
from grice.benchmarks.rectom.metrics import Answers, QuestionsByTask
from grice.models.errors import DataCorrupt, shorten
from grice.models.minds.questions import MindQuestion

FOLDS = Path(__file__).parent / "folds.json"
TRAINS = "mind"


def stored_answers(stored: StoredFolds, questions: QuestionsByTask) -> Answers:
    """What the models of the folds answered to `questions`.

    Raises:
        DataCorrupt: one has no stored answer, or one that is not among its options.
    """
    with stored.decoding():
        predictions = {task: dict(each) for task, each in stored.content["predictions"].items()}
    return {task: [_answer(stored, predictions.get(task, {}), question) for question in each] for task, each in questions.items()}


def _answer(stored: StoredFolds, predictions: dict[str, str], question: MindQuestion) -> frozenset[str]:
    said = predictions.get(question.question_id)
    where = f"{stored.path.name}: {question.task} {question.question_id}"
    if said is None or question.dialogue_id not in stored.folds:
        raise DataCorrupt(f"{where} has no stored answer; {stored.repair}")
    letters = [option.letter for option in question.options]
    if not said or not set(said) <= set(letters):
        raise DataCorrupt(f"{where}: the answer is {shorten(said)}, not letters of {''.join(letters)}; {stored.repair}")
    return frozenset(said)
