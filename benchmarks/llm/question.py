"""What a benchmark asks a language model about one of its samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grice.benchmarks.llm.sample import Exchange
from grice.middleware.llm import Message


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
        ask: asks once or several times (first for a reason, then for an option) and returns the prediction, a JSON value, or None
            where the reply cannot be parsed. It may be called again from the start, with the same replies, and from any thread: it
            asks nothing that depends on anything but the sample and earlier replies.
    """

    sample_id: str
    group: str
    gold: Any
    ask: Callable[[Ask], Any | None]
