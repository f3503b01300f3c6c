"""All questions through a batch API: each is asked as far as it gets, what is missing is fetched in one batch, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grice.benchmarks.llm.progress import SpendingBar
from grice.benchmarks.llm.question import Question, sample_of
from grice.benchmarks.llm.sample import Sample
from grice.middleware.llm import Message, Reply
from grice.models.errors import GriceError

if TYPE_CHECKING:
    from grice.middleware.llm.batch_model import BatchModel


class _Pending(BaseException):
    """The reply is not there yet. No `Exception`, so that a question that handles errors does not take it for one."""


def answer_batched(questions: Sequence[Question], model: BatchModel, progress: SpendingBar) -> list[Sample]:
    """The samples, in order. A question that asks twice takes two batches.

    Raises:
        JudgeError: the batch API refused or cannot be reached, or no question was answered.
    """
    replies = _Replies(model)
    samples: dict[str, Sample] = {}
    while len(samples) < len(questions):
        for question in questions:
            if question.sample_id not in samples:
                try:
                    sample = sample_of(question, replies.complete)
                except _Pending:
                    continue
                samples[question.sample_id] = sample
                replies.settle(sample)
                progress.count(sample)
        replies.fetch(progress)
    return [samples[question.sample_id] for question in questions]


class _Replies:
    """What is known, and what has been asked for."""

    def __init__(self, model: BatchModel) -> None:
        self._model = model
        self._known: dict[tuple[Message, ...], Reply | GriceError] = {}
        self._pending: dict[tuple[Message, ...], None] = {}

    def complete(self, messages: Sequence[Message]) -> Reply:
        """The reply, if it has come."""
        key = tuple(messages)
        found = self._known.get(key) or self._model.remembered(messages)
        if found is None:
            self._pending[key] = None
            raise _Pending
        if isinstance(found, GriceError):
            raise found
        return found

    def settle(self, sample: Sample) -> None:
        """Its replies are paid for: the next sample that has one of them pays nothing."""
        for exchange in sample.exchanges:
            found = self._known.get(exchange.messages)
            if isinstance(found, Reply):
                self._known[exchange.messages] = replace(found, cached=True)

    def fetch(self, progress: SpendingBar) -> None:
        """Get what is missing."""
        missing = list(self._pending)
        self._pending.clear()
        if missing:
            replies = self._model.complete_all(missing, progress.say)
            self._known.update(zip(missing, replies, strict=True))
