"""Batches what a model is asked across callers: many requests, one call of the model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from grice.middleware.runtime.isolation import isolate
from grice.models.dialogue import Dialogue
from grice.models.errors import Overloaded

Asked = TypeVar("Asked")
Result = TypeVar("Result")
Predict = Callable[[Sequence[Asked]], Sequence[Result]]


log = logging.getLogger(__name__)


def characters(dialogue: Dialogue) -> int:
    """How long a dialogue is."""
    return sum(len(turn.text) for turn in dialogue.turns)


@dataclass(eq=False)
class _Item(Generic[Asked, Result]):
    asked: Asked
    length: int
    since: float
    answer: asyncio.Future[Result]


@dataclass(frozen=True)
class BatchLimits:
    """How large batches are, and how long they wait.

    Attributes:
        size: items of a batch.
        wait_ms: milliseconds that the first item of a batch waits for others.
        queue_size: items that may wait.
    """

    size: int = 16
    wait_ms: float = 3.0
    queue_size: int = 512


class Batcher(Generic[Asked, Result]):
    """Collects what concurrent callers ask, as a rule dialogues, and runs it through a model, one batch at a time.

    A lone caller is served at once. Where several wait, the batch leaves when it is full or its first item has waited `wait_ms`.
    When more wait than fit, the one that came first takes those of like length along: little is padded, and nobody starves.

    Args:
        predict: the batch method of a model; runs in one thread, so that the event loop stays free.
        length: of an item, in any unit; those of a batch are alike in it.
        on_batch: told the size of each batch that leaves. on_refused: told how many items found no room.
    """

    def __init__(
        self,
        predict: Predict[Asked, Result],
        limits: BatchLimits = BatchLimits(),
        *,
        length: Callable[[Any], int] = characters,
        on_batch: Callable[[int], None] = lambda size: None,
        on_refused: Callable[[int], None] = lambda items: None,
    ) -> None:
        self._predict = predict
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="grice-batch")
        self._size = limits.size
        self._wait_s = limits.wait_ms / 1000
        self._queue_size = limits.queue_size
        self._length = length
        self._on_batch = on_batch
        self._on_refused = on_refused
        self._waiting: list[_Item[Asked, Result]] = []
        self._arrived = asyncio.Event()
        self._leave = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """Items that wait now."""
        return len(self._waiting)

    def start(self) -> None:
        """Begin to serve; call it inside the event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Take no more, serve all that wait, and stop."""
        self._closing = True
        self._arrived.set()
        self._leave.set()
        if self._task is not None:
            await self._task
        self._worker.shutdown(wait=False)

    async def submit(self, asked: Sequence[Asked]) -> list[Result]:
        """The results of `asked`, in order. A cancelled call takes its waiting items out of the queue.

        Raises:
            Overloaded: the queue has no room for all of them, or the service is stopping.
            Exception: what the model raised for one of them, even when that one was alone in a batch.
        """
        if self._closing:
            raise Overloaded("the service is stopping")
        if len(self._waiting) + len(asked) > self._queue_size:
            self._on_refused(len(asked))
            raise Overloaded(f"{len(self._waiting)} items wait; allowed: {self._queue_size}; try again later")
        loop = asyncio.get_running_loop()
        items = [_Item[Asked, Result](each, self._length(each), loop.time(), loop.create_future()) for each in asked]
        self._waiting.extend(items)
        self._arrived.set()
        if len(self._waiting) >= self._size:
            self._leave.set()
        try:
            return list(await asyncio.gather(*(item.answer for item in items)))
        finally:
            if not all(item.answer.done() and not item.answer.cancelled() for item in items):
                for item in items:
                    item.answer.cancel()
                self._waiting = [item for item in self._waiting if not item.answer.cancelled()]

    async def _run(self) -> None:
        while self._waiting or not self._closing:
            await self._arrived.wait()
            await self._others()
            try:
                batch = self._take()
            except Exception as error:  # noqa: BLE001 - whoever waits is told, and later callers are served
                log.error("the queue broke", extra={"error": type(error).__name__})
                broken, self._waiting, batch = self._waiting, [], []
                _answer(broken, [error] * len(broken))
            if batch:
                await self._serve(batch)
            if not self._waiting and not self._closing:
                self._arrived.clear()

    async def _others(self) -> None:
        """Give others the time to join the first item, if there is any sign of them."""
        await asyncio.sleep(0)
        if not 1 < len(self._waiting) < self._size or self._closing:
            return
        loop = asyncio.get_running_loop()
        self._leave.clear()
        alarm = loop.call_at(self._waiting[0].since + self._wait_s, self._leave.set)
        await self._leave.wait()
        alarm.cancel()

    def _take(self) -> list[_Item[Asked, Result]]:
        if len(self._waiting) <= self._size:
            batch, self._waiting = self._waiting, []
            return batch
        length = self._waiting[0].length
        nearest = sorted(self._waiting[1:], key=lambda item: abs(item.length - length))
        batch = [self._waiting[0], *nearest[: self._size - 1]]
        taken = set(map(id, batch))
        self._waiting = [item for item in self._waiting if id(item) not in taken]
        return batch

    async def _serve(self, batch: list[_Item[Asked, Result]]) -> None:
        try:
            self._on_batch(len(batch))
        except Exception as error:  # noqa: BLE001 - it only listens; the batch is served
            log.error("a listener failed", extra={"error": type(error).__name__})
        asked = [item.asked for item in batch]
        _answer(batch, await asyncio.get_running_loop().run_in_executor(self._worker, isolate, self._predict, asked))


def _answer(items: Sequence[_Item[Asked, Result]], outcomes: Sequence[Result | Exception]) -> None:
    for item, outcome in zip(items, outcomes, strict=True):
        if item.answer.done():
            continue
        if isinstance(outcome, Exception):
            item.answer.set_exception(outcome)
        else:
            item.answer.set_result(outcome)
