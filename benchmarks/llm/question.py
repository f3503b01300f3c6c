"""What a benchmark asks a language model about one of its samples, and what comes of asking it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grice.benchmarks.llm.sample import Exchange, Sample, Status
from grice.middleware.llm import Message, Reply
from grice.models.errors import GriceError, JudgeError


class Ask(Protocol):
    """Asks the model and returns the text of its reply; raises `GriceError` where there is none."""

    def __call__(self, messages: Sequence[Message], /) -> str: ...

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """What the question has asked so far: what a reply's text alone does not say."""
        ...


@dataclass(frozen=True)
class Question:
    """One sample of a benchmark.

        Question("7/2", "7", gold="yes", ask=lambda ask: parsed(ask([Message("user", prompt)])))

    Attributes:
        sample_id: unique in the run, and the same in every run.
        group: the dialogue's id; the bootstrap draws by it.
        gold: a JSON value.
        prompt: what it asks first; a run is known by the prompts of its questions.
        ask: asks once or several times (first for a reason, then for an option) and returns the prediction, a JSON value, or None
            where the reply cannot be parsed. It may be called again from the start, with the same replies, and from any thread: it
            asks nothing that depends on anything but the sample and earlier replies.
    """

    sample_id: str
    group: str
    gold: Any
    ask: Callable[[Ask], Any | None]
    prompt: str = ""


def hash_prompts(questions: Iterable[Question]) -> str:
    """One sha256 of all prompts."""
    return hashlib.sha256("\0".join(question.prompt for question in questions).encode()).hexdigest()


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
