"""Scores the rows of a part: all tasks, every turn that they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grice.middleware.batch.job import TASKS, BatchJob, Turns
from grice.middleware.batch.parts import LoggedRow
from grice.middleware.capabilities import CAPABILITIES, Capability, capability_settings, load_capabilities
from grice.middleware.capabilities.codec import encode
from grice.middleware.monitor.reports import ResponseReport
from grice.middleware.runtime.isolation import isolate
from grice.models.dialogue import Dialogue
from grice.models.errors import shorten
from grice.models.sentence_encoder.encoder import forget_vectors

PredictAll = Callable[[Sequence[Dialogue]], Sequence[Any]]


@dataclass(frozen=True)
class ScoredRow:
    """A row with its results, or why it is set apart.

    Attributes:
        found: by task: the result of the whole dialogue, or one result a turn, with its place in the dialogue (`turn`, from 0).
        reason: why it has none; empty: it has.
    """

    number: int
    id: str | None
    found: Mapping[str, Any]
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """A line of the output, or of what is set apart."""
        told: Mapping[str, Any] = {"reason": self.reason} if self.reason else self.found
        return {"row": self.number, **({} if self.id is None else {"id": self.id}), **told}


class Scorer:
    """The models of a job's tasks.

    Args:
        models: what predicts, by task.
    """

    def __init__(self, models: Mapping[str, PredictAll], turns: Turns = "all", batch_size: int = 32) -> None:
        self._models = models
        self._turns = turns
        self._batch_size = batch_size

    @classmethod
    def load(cls, job: BatchJob) -> Scorer:
        """The models that the job names, in this process.

        Raises:
            GriceError: a model is not there, damaged, or its execution provider or a package is not available.
        """
        names = {*job.tasks, *(needed for name in job.tasks for needed in TASKS[name].needs)}
        chosen = capability_settings()(intentions_model=job.intentions_model)
        loaded = load_capabilities(chosen, job.pipeline, job.monitor, names)
        return cls({name: loaded[name].predict for name in job.tasks}, job.turns, job.batch_size)

    def score(self, rows: Iterable[LoggedRow]) -> list[ScoredRow]:
        """One result a row, in order. A row that a model fails on takes no other with it.

        The digits follow from the rows alone: so do the batches, and nothing that was remembered of other rows is used.
        """
        forget_vectors()
        kept = list(rows)
        scored = [ScoredRow(row.number, row.id, {name: [] for name in self._models}, row.reason) for row in kept]
        for name, predict in self._models.items():
            asked = list(self._asked(name, kept))
            outcomes: list[Any] = []
            for start in range(0, len(asked), self._batch_size):
                outcomes += isolate(predict, [dialogue for _, dialogue in asked[start : start + self._batch_size]])
            for (place, dialogue), outcome in zip(asked, outcomes, strict=True):
                scored[place] = _with_result(scored[place], name, dialogue, outcome)
        return scored

    def _asked(self, name: str, rows: Sequence[LoggedRow]) -> Iterator[tuple[int, Dialogue]]:
        """What a task is asked: the place of a row, and a dialogue that ends in a turn that the task looks at."""
        speaker = TASKS[name].speaker
        for place, row in enumerate(rows):
            if row.dialogue is None:
                continue
            turns = row.dialogue.turns
            ends = [len(turns)] if speaker is None or self._turns == "last" else range(1, len(turns) + 1)
            yield from ((place, Dialogue(turns[:end])) for end in ends if speaker in (None, turns[end - 1].speaker))


def _with_result(scored: ScoredRow, name: str, dialogue: Dialogue, outcome: Any) -> ScoredRow:
    if scored.reason:
        return scored
    turn = len(dialogue.turns) - 1
    reason = _failure(outcome)
    if reason:
        return replace(scored, reason=f"{name}, turn {turn}: {reason}")
    capability: Capability[Any, Any] = CAPABILITIES[name]
    row = encode(outcome)
    found = row if TASKS[capability.name].speaker is None else [*scored.found[name], {"turn": turn, **row}]
    return replace(scored, found={**scored.found, name: found})


def _failure(outcome: Any) -> str:
    """Why there is no result; empty: there is one."""
    if isinstance(outcome, Exception):
        return f"{type(outcome).__name__}: {shorten(str(outcome))}"
    if isinstance(outcome, ResponseReport) and outcome.failures:
        return "; ".join(f"{each.error}: {shorten(each.message)}" for each in outcome.failures)
    return ""
