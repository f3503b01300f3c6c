"""How RecToM's answers are scored: exact set match, Fine2Coarse, and how far judgements lean to yes. All in percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.metrics import Measure, divided
from grice.models.minds.labels import coarse_of
from grice.models.minds.questions import MindQuestion, Task, kind_of

ACCURACY = "accuracy"
FINE2COARSE = "fine2coarse"
PREDICTION_BIAS = "prediction_bias"
FALSE_POSITIVE_RATE = "false_positive_rate"
RECALL_NO = "recall_no"

QuestionsByTask = Mapping[Task, Sequence[MindQuestion]]
Answers = Mapping[Task, Sequence[frozenset[str] | None]]
"""Letters for each question of a task; None where there is no answer."""


@dataclass(frozen=True)
class Scored:
    """The metrics of one system on one task.

    Attributes:
        groups: the dialogue of each row of the measures.
        unscored: questions without an answer.
    """

    measures: Mapping[str, Measure]
    groups: tuple[str, ...]
    unscored: int = 0


def metrics_of(task: Task) -> tuple[str, ...]:
    """Which metrics a task has."""
    kind = kind_of(task)
    if kind == "fine-intention":
        return ACCURACY, FINE2COARSE
    return (ACCURACY, PREDICTION_BIAS, FALSE_POSITIVE_RATE, RECALL_NO) if kind == "judgement" else (ACCURACY,)


def score(task: Task, questions: Sequence[MindQuestion], answers: Sequence[frozenset[str] | None]) -> Scored:
    """The metrics of `task` over the questions that have an answer."""
    pairs = [(question, answer) for question, answer in zip(questions, answers, strict=True) if answer is not None]
    measures = {metric: _MEASURES[metric](pairs) for metric in metrics_of(task)}
    return Scored(measures, tuple(question.dialogue_id for question, _ in pairs), len(questions) - len(pairs))


def chance(questions: Sequence[MindQuestion]) -> Scored:
    """The expected accuracy of guessing: every option, or every set of options but the empty one, as likely as the others."""
    sets = [2 ** len(each.options) - 1 if each.has_several else len(each.options) for each in questions]
    measure = metrics.mean([1 / count for count in sets], 100)
    return Scored({ACCURACY: measure}, tuple(each.dialogue_id for each in questions))


_Pairs = Sequence[tuple[MindQuestion, frozenset[str]]]


def _accuracy(pairs: _Pairs) -> Measure:
    return metrics.mean([answer == question.gold for question, answer in pairs], 100)


def _fine2coarse(pairs: _Pairs) -> Measure:
    """Exact match of the coarse intentions that the fine ones imply (the paper, "Fine-grained Intention Error Analysis")."""
    return metrics.mean([_implied(question, answer) == _implied(question, question.gold) for question, answer in pairs], 100)


def _implied(question: MindQuestion, letters: frozenset[str]) -> frozenset[str]:
    return coarse_of(question.role, question.labels_of(letters))


def _prediction_bias(pairs: _Pairs) -> Measure:
    """The share of yes among all answers (the paper, "Judgement Reasoning Bias")."""
    return metrics.mean([_says_yes(*pair) for pair in pairs], 100)


def _false_positive_rate(pairs: _Pairs) -> Measure:
    """The share of yes where no is right."""
    return _share_of_no(pairs, says_yes=True)


def _recall_no(pairs: _Pairs) -> Measure:
    """The share of no where no is right."""
    return _share_of_no(pairs, says_yes=False)


def _share_of_no(pairs: _Pairs, says_yes: bool) -> Measure:
    is_no = np.array([not _says_yes(question, question.gold) for question, _ in pairs], bool)
    said = np.array([_says_yes(*pair) == says_yes for pair in pairs], bool)
    return Measure(np.stack([is_no & said, is_no], axis=1).astype(float), lambda sums: 100 * divided(sums[:, 0], sums[:, 1]))


def _says_yes(question: MindQuestion, letters: frozenset[str]) -> bool:
    return question.labels_of(letters) == {"yes"}


_MEASURES = {
    ACCURACY: _accuracy,
    FINE2COARSE: _fine2coarse,
    PREDICTION_BIAS: _prediction_bias,
    FALSE_POSITIVE_RATE: _false_positive_rate,
    RECALL_NO: _recall_no,
}
