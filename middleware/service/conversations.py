"""Histories of kept dialogues. A store that fails is recorded, and never stops a conversation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from grice.middleware.stores import DialogueStore
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Turn
from grice.models.errors import StoreError

Answer = TypeVar("Answer")
History = tuple[Turn, ...] | StageFailure
"""The turns before an item, or why they are not known."""

log = logging.getLogger(__name__)


class Conversations:
    """Reads and writes the dialogues of one request in one go, in a thread."""

    def __init__(self, store: DialogueStore) -> None:
        self.store = store

    async def recall(self, dialogue_ids: Sequence[str | None]) -> list[History]:
        """The history of each dialogue, or why there is none; empty where there is no id."""
        return await self._each(dialogue_ids, lambda place, name: self.store.read(name), ())

    async def keep(
        self, dialogue_ids: Sequence[str | None], turns: Sequence[Sequence[Turn]], event_ids: Sequence[str | None] = ()
    ) -> list[StageFailure | None]:
        """Add turns to each dialogue that has an id; what failed. Those of an event are added once, by its id."""

        def add(place: int, name: str) -> None:
            self.store.append(name, turns[place], once=event_ids[place] if event_ids else None)

        return await self._each(dialogue_ids, add, None)

    async def _each(
        self, dialogue_ids: Sequence[str | None], work: Callable[[int, str], Answer], empty: Answer
    ) -> list[Answer | StageFailure]:
        if not any(dialogue_ids):
            return [empty for _ in dialogue_ids]
        return await run_in_threadpool(_all, dialogue_ids, work, empty)


def _all(dialogue_ids: Sequence[str | None], work: Callable[[int, str], Answer], empty: Answer) -> list[Answer | StageFailure]:
    """`work` for each id. After a failure the rest are not tried: each would wait for its time-out."""
    answers: list[Answer | StageFailure] = []
    failure: StageFailure | None = None
    for place, name in enumerate(dialogue_ids):
        if name is not None and failure is None:
            try:
                answers.append(work(place, name))
                continue
            except StoreError as error:
                log.warning("the dialogue store failed", extra={"error": type(error.__cause__ or error).__name__})
                failure = StageFailure("store", type(error).__name__, str(error))
        answers.append(empty if name is None or failure is None else failure)
    return answers
