"""Constant answers to RecToM's questions, chosen on the very data they answer: rather too high a floor than too low."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from grice.benchmarks.rectom.metrics import Answers, Questions
from grice.models.minds.questions import MindQuestion


def most_frequent_set(everything: Questions, asked: Questions) -> Answers:
    """For each task the set of options that is right most often in `everything`."""
    return _constant(everything, asked, lambda question: [question.labels_of(question.gold)])


def most_frequent_option(everything: Questions, asked: Questions) -> Answers:
    """For each task the one option that is right most often in `everything`, alone or with others."""
    return _constant(everything, asked, lambda question: [frozenset({label}) for label in question.labels_of(question.gold)])


def _constant(everything: Questions, asked: Questions, votes: Callable[[MindQuestion], Sequence[frozenset[str]]]) -> Answers:
    answers = {}
    for task, questions in everything.items():
        counts = Counter(vote for question in questions for vote in votes(question))
        labels = max(counts, key=lambda labels: (counts[labels], sorted(labels)))
        answers[task] = [question.letters_of(labels) for question in asked[task]]
    return answers
