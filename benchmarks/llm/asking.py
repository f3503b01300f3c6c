"""One question, asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grice.benchmarks.llm.question import Question
from grice.benchmarks.llm.sample import Exchange, Sample, Status
from grice.middleware.llm import Message, Reply
from grice.models.errors import GriceError, JudgeError

Complete = Callable[[Sequence[Message]], Reply]
"""The model's reply to a conversation; raises `GriceError` where there is none."""


class _Recorder:
    """An `Ask` that keeps what was asked and replied."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self.exchanges: list[Exchange] = []

    def __call__(self, messages: Sequence[Message]) -> str:
        reply = self._complete(messages)
        self.exchanges.append(Exchange.of(tuple(messages), reply))
        if reply.refused:
            raise JudgeError("the model refused to answer")
        if not reply.text.strip():
            raise JudgeError(f"the model's answer is empty; it ended with {reply.finish_reason or 'no reason'}")
        return reply.text


def sample_of(question: Question, complete: Complete) -> Sample:
    """What comes of asking `question`; nothing is raised for a question that fails."""
    ask = _Recorder(complete)
    prediction, error = None, None
    try:
        prediction = question.ask(ask)
    except GriceError as failure:
        error = str(failure)
    status: Status = "unanswered" if error is not None else "unparsable" if prediction is None else "answered"
    return Sample(question.sample_id, question.group, question.gold, prediction, status, tuple(ask.exchanges), error)
