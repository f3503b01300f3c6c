"""The slots of an item go through the resolver together: an item waits and is answered as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grice.middleware.service.batcher import Batcher, Predict
from grice.middleware.slots.reports import SlotReport
from grice.models.slots.questions import SlotQuestion

Questions = tuple[SlotQuestion, ...]
Reports = tuple[SlotReport, ...]
SlotBatcher = Batcher[Questions, Reports]


def by_item(predict: Callable[[Sequence[SlotQuestion]], Sequence[SlotReport]]) -> Predict[Questions, Reports]:
    """`predict` for the questions of several items."""

    def run(items: Sequence[Questions]) -> list[Reports]:
        reports = iter(predict([question for questions in items for question in questions]))
        return [tuple(next(reports) for _ in questions) for questions in items]

    return run


def hypotheses(questions: Questions) -> int:
    """How much work an item is: each value is one, and so is that the slot is not mentioned."""
    return sum(len(question.values) + 1 for question in questions)
