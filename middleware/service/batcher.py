"""Batches what a model is asked across callers: many requests, one call of the model; and keeps the wait for it within bounds."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from grice.middleware.runtime.deadline import Deadline
from grice.middleware.runtime.isolation import isolate
from grice.middleware.service.waiting.backlog import Backlog, Wait, WaitRefusal, shared_wait_s
from grice.middleware.service.waiting.call import CALL, Pay, WaitingCall
from grice.middleware.service.waiting.line import Waiter, WaitingItem, WaitingLine, mean
from grice.middleware.service.waiting.pace import WorkPace
from grice.middleware.service.waiting.turnstile import BatchTurn, Overran, Turnstile
from grice.middleware.telemetry.stage_times import timing
from grice.models.dialogue import Dialogue
from grice.models.errors import DeadlineExceeded, Overloaded
from grice.models.runtime.pause import Stopped

Asked = TypeVar("Asked")
Result = TypeVar("Result")
Predict = Callable[[Sequence[Asked]], Sequence[Result]]

UNIT_S = 0.0005
"""Seconds for a unit of work until there is a measurement: a token on a small model."""
MOST_LONG, MOST_LONG_EACH = 32, 4
"""Long calls that are worked on in turn, of all and of one caller; others wait until one of them is done."""
MUCH_LONGER, MUCH_LONGER_THAN_KNOWN = 4, 3
"""A batch that takes so many times what a batch may, and what was known of it, is taken apart."""

log = logging.getLogger(__name__)


def characters(dialogue: Dialogue) -> int:
    """How long a dialogue is."""
    return sum(len(turn.text) for turn in dialogue.turns)


@dataclass(frozen=True)
class BatchLimits:
    """How large batches are, and how long calls wait.

    Attributes:
        size: items of a batch.
        wait_ms: milliseconds that the first item of a batch waits for others.
        queue_size: items that may wait.
        work_ms: milliseconds that a batch may take, as far as that is known before; longer work is cut, and others come between.
        most_wait_ms: milliseconds that a small call may have to wait for others; one that would wait longer is refused.
        deadline_ms: milliseconds after which a call that says nothing else is not worked on any more.
    """

    size: int = 16
    wait_ms: float = 3.0
    queue_size: int = 512
    work_ms: float = 100.0
    most_wait_ms: float = 400.0
    deadline_ms: float = 300_000.0


class Batcher(Generic[Asked, Result]):
    """Collects what concurrent callers ask, as a rule dialogues, and runs it through a model, one batch at a time.

    A lone caller is served at once. Where several wait, the batch leaves when it is full or its first item has waited `wait_ms`.
    When more wait than fit, callers share the model's time fairly, and so do the calls of one caller; who is next takes those of
    like work along: little is padded, and nobody starves. An item that takes long by itself gives way to others between the steps
    of the model (`grice.models.runtime.pause`). A call that is late, or that nobody waits for any more, is not worked on.

    Args:
        predict: the batch method of a model; runs in a thread, so that the event loop stays free.
        length: the work of an item, in any unit: how long a unit takes is measured.
        on_batch: told the size of each batch that leaves. on_refused: told how many items found no room, or would wait too long.
    """

    def __init__(
        self,
        predict: Predict[Asked, Result],
        limits: BatchLimits = BatchLimits(),
        *,
        length: Callable[[Any], float] = characters,
        on_batch: Callable[[int], None] = lambda size: None,
        on_refused: Callable[[int], None] = lambda items: None,
    ) -> None:
        self.limits = limits
        self._predict = predict
        self._length = length
        self._on_batch = on_batch
        self._on_refused = on_refused
        self._pace = WorkPace(UNIT_S)
        self._body = WorkPace(0.0)
        self._line = WaitingLine[Asked, Result](limits.size, limits.work_ms / 1000, self._pace)
        self._backlog = Backlog(limits.most_wait_ms / 1000)
        self._turnstile = Turnstile()
        self._threads = ThreadPoolExecutor(MOST_LONG + 2, thread_name_prefix="grice-batch")
        self._long: set[asyncio.Future[Any]] = set()
        self._changed = asyncio.Event()
        self._leave = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """Items that wait now."""
        return self._line.items

    @property
    def age_s(self) -> float:
        """For how many seconds the item that waits longest has waited; 0 if none waits."""
        waiting = [waiter.since for waiter in self._line.waiters if waiter.items]
        return time.monotonic() - min(waiting) if waiting else 0.0

    def start(self) -> None:
        """Begin to serve; call it inside the event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Take no more, serve all that wait, and stop."""
        self._closing = True
        self._changed.set()
        self._leave.set()
        if self._task is not None:
            await self._task
        if self._long:
            await asyncio.wait(self._long)
        self._threads.shutdown(wait=False)

    def refuse_early(self, call: WaitingCall, caller: Hashable) -> None:
        """Refuse a call by what calls of its size ask for, before it is read.

        Raises:
            Overloaded, DeadlineExceeded: as in `submit`.
        """
        if call.body_bytes and self._body.is_known:
            self._admit(call, caller or call.address[0], [self._body.of(call.body_bytes)])

    async def submit(
        self, asked: Sequence[Asked], work: Sequence[float] | None = None, caller: Hashable = "", pay: Pay | None = None
    ) -> list[Result]:
        """The results of `asked`, in order. A cancelled call takes its waiting items out of the queue, and ends what is under way.

        Args:
            work: of each item; default: what `length` says.
            caller: who shares the model's time with others; default: where the call comes from.
            pay: called once the call is taken, before any work; what it raises ends the call.

        Raises:
            Overloaded: the queue has no room for all of them, they would wait too long, or the service is stopping.
            DeadlineExceeded: they are not answered by the call's deadline, or would not be.
            Exception: what the model raised for one of them, even when that one was alone in a batch.
        """
        if self._closing:
            raise Overloaded("the service is stopping")
        call = CALL.get() or WaitingCall(Deadline(self.limits.deadline_ms / 1000))
        units = [self._length(each) for each in asked] if work is None else work
        who = caller or call.address[0]
        self._admit(call, who, units)
        if call.body_bytes:
            self._body.measure(call.body_bytes, sum(units))
        loop = asyncio.get_running_loop()
        waiter = Waiter[Asked, Result](call, who, loop.time(), left=sum(units), each=mean(units))
        items = [WaitingItem(each, unit, waiter, loop.create_future()) for each, unit in zip(asked, units, strict=True)]
        self._line.join(waiter)
        answers = [item.answer for item in items]
        try:
            if pay is not None:
                await pay()
            self._line.bring(waiter, list(items))
            self._changed.set()
            if self.waiting >= self.limits.size:
                self._leave.set()
            if answers:
                await asyncio.wait(answers, timeout=call.deadline.left_s, return_when=asyncio.FIRST_EXCEPTION)
            failed = [error for each in answers if each.done() and (error := each.exception()) is not None]
            if failed:
                raise failed[0]
            if not all(each.done() for each in answers):
                message = f"there was no answer within {1000 * call.deadline.seconds:.0f} ms; send fewer items, or later"
                raise DeadlineExceeded(message, self._retry_after_s(waiter, units))
            return [each.result() for each in answers]
        finally:
            for item in items:
                item.answer.cancel()
            self._line.leave(waiter)
            self._turnstile.look()
            self._changed.set()

    def _retry_after_s(self, waiter: Waiter[Asked, Result], units: Sequence[float]) -> float | None:
        """Seconds after which a late call may come again; None: its work takes longer than it has."""
        own_s = self._pace.of(sum(units), waiter.each)
        if own_s > waiter.call.deadline.seconds:
            return None
        others = [each for each in self._line.waiters if each is not waiter]
        return shared_wait_s(waiter.caller, own_s, self._left_s(others))

    def _left_s(self, waiters: Iterable[Waiter[Asked, Result]]) -> dict[Hashable, list[float]]:
        """Seconds of work that the calls of each caller have left."""
        left: dict[Hashable, list[float]] = {}
        for waiter in waiters:
            left.setdefault(waiter.caller, []).append(self._pace.of(max(0.0, waiter.left), waiter.each))
        return left

    def _admit(self, call: WaitingCall, caller: Hashable, units: Sequence[float]) -> None:
        full = self.waiting + len(units) > self.limits.queue_size
        refusal = self._refusal(call, caller, units, full)
        if refusal is None:
            return
        self._on_refused(len(units))
        if full:
            found = f"{self.waiting} items wait; allowed: {self.limits.queue_size}"
            raise Overloaded(f"{found}; try again later", refusal.retry_after_s or 1)
        if refusal.is_late:
            left_ms, wait_ms = 1000 * call.deadline.left_s, 1000 * (refusal.wait_s + self._pace.of(sum(units), mean(units)))
            message = f"an answer takes about {wait_ms:.0f} ms, and has to be there in {left_ms:.0f} ms"
            raise DeadlineExceeded(f"{message}; send fewer items, or later", refusal.retry_after_s)
        message = f"the wait is about {refusal.wait_s:.1f} s; try again in {refusal.retry_after_s} s"
        raise Overloaded(message, refusal.retry_after_s or 1)

    def _refusal(self, call: WaitingCall, caller: Hashable, units: Sequence[float], full: bool) -> WaitRefusal | None:
        """Why a call would not be taken, as far as it is known how long work takes."""
        if not self._pace.is_known:
            return self._backlog.refusal(call, Wait(0.0, 0.0, False, full))
        own_s, sure = self._pace.of(sum(units), mean(units)), self._pace.knows(mean(units))
        wait_s = shared_wait_s(caller, own_s, self._left_s(self._line.waiters))
        return self._backlog.refusal(call, Wait(own_s, wait_s, sure, full))

    async def _run(self) -> None:
        while self._line.waiters or not self._closing:
            await self._changed.wait()
            if not self.waiting:
                self._changed.clear()
                continue
            await self._others()
            try:
                self._start_long()
                batch = self._line.take_short()
            except Exception as error:  # noqa: BLE001 - whoever waits is told, and later callers are served
                log.error("the queue broke", extra={"error": type(error).__name__})
                broken = [item for waiter in self._line.waiters for item in waiter.items]
                for waiter in self._line.waiters:
                    waiter.items = []
                _answer(broken, [error] * len(broken))
                batch = []
            if batch:
                await self._serve_short(batch)
            else:
                self._changed.clear()

    async def _others(self) -> None:
        """Give others the time to join the first item, if there is any sign of them."""
        await asyncio.sleep(0)
        if not 1 < self.waiting < self.limits.size or self._closing:
            return
        loop = asyncio.get_running_loop()
        self._leave.clear()
        first = min(waiter.since for waiter in self._line.waiters if waiter.items)
        alarm = loop.call_at(first + self.limits.wait_ms / 1000, self._leave.set)
        await self._leave.wait()
        alarm.cancel()

    def _start_long(self) -> None:
        while len(self._long) < MOST_LONG and (items := self._line.take_long(MOST_LONG_EACH)):
            self._serve_long(items)

    def _turn(self, items: Sequence[WaitingItem[Asked, Result]]) -> BatchTurn:
        return BatchTurn(wanted=lambda: not all(item.answer.done() for item in items))

    def _share(self, turn: BatchTurn, waiter: Waiter[Asked, Result]) -> None:
        """From now on the time that the batch has the model is its call's."""
        turn.rank = lambda: self._line.shares.rank(waiter.caller, waiter)
        turn.spend = lambda seconds: self._line.shares.spend(waiter.caller, waiter, seconds)

    def _go_on_aside(self, work: asyncio.Future[Any]) -> None:
        self._long.add(work)
        work.add_done_callback(self._long.discard)

    def _serve_long(self, items: list[WaitingItem[Asked, Result]]) -> None:
        turn, waiter = self._turn(items), items[0].waiter
        self._share(turn, waiter)

        def end(_: asyncio.Future[Any]) -> None:
            waiter.is_served = False

        work = self._serve(items, turn)
        work.add_done_callback(end)
        self._go_on_aside(work)

    async def _serve_short(self, items: list[WaitingItem[Asked, Result]]) -> None:
        """Serve a batch to its end, or until it turns out to be long."""
        loop, shares = asyncio.get_running_loop(), self._line.shares
        waiters = {item.waiter: None for item in items}
        rank = shares.rank(items[0].waiter.caller, items[0].waiter)
        for item in items:
            shares.spend(item.waiter.caller, item.waiter, self._pace.of(item.work))
        over = asyncio.Event()
        turn = self._turn(items)
        known_s = sum(self._pace.of(item.work) for item in items)
        turn.rank = lambda: rank
        turn.most_s = max(MUCH_LONGER * self.limits.work_ms / 1000, MUCH_LONGER_THAN_KNOWN * known_s)

        def overrun() -> None:
            if len(waiters) > 1:
                raise Overran
            self._share(turn, items[0].waiter)
            loop.call_soon_threadsafe(over.set)

        turn.overrun = overrun
        work = self._serve(items, turn)
        work.add_done_callback(lambda _: over.set())
        await over.wait()
        if not work.done():
            self._go_on_aside(work)

    def _serve(self, items: list[WaitingItem[Asked, Result]], turn: BatchTurn) -> asyncio.Future[Any]:
        """Work on a batch in a thread. Its items are answered when that is done, before others hear that it is."""
        try:
            self._on_batch(len(items))
        except Exception as error:  # noqa: BLE001 - it only listens; the batch is served
            log.error("a listener failed", extra={"error": type(error).__name__})
        work = asyncio.get_running_loop().run_in_executor(self._threads, self._work, items, turn)
        work.add_done_callback(lambda done: self._settle(items, turn, done.result()))
        return work

    def _settle(
        self, items: list[WaitingItem[Asked, Result]], turn: BatchTurn, outcomes: Sequence[Result | Exception] | None
    ) -> None:
        """Answer the items of a batch with what `_work` gave."""
        if outcomes is None:
            for item in items:
                item.alone = True
            self._line.give_back([item for item in items if not item.answer.done()])
        else:
            if outcomes:
                self._pace.measure(sum(item.work for item in items), turn.held_s, len(items))
            for item in items:
                item.waiter.left -= item.work
            _answer(items, outcomes or [DeadlineExceeded("the work was stopped")] * len(items))
        self._changed.set()

    def _work(self, items: Sequence[WaitingItem[Asked, Result]], turn: BatchTurn) -> list[Result | Exception] | None:
        """What the model gives for each item; None: they have to be worked on one by one; nothing: nobody waits for it."""
        with timing() as times:
            try:
                return self._turnstile.run(turn, lambda: isolate(self._predict, [item.asked for item in items]))
            except Overran:
                return None
            except Stopped:
                return []
            finally:
                for call in {item.waiter.call for item in items}:
                    call.stages.add_all(times)


def _answer(items: Sequence[WaitingItem[Asked, Result]], outcomes: Sequence[Result | Exception]) -> None:
    for item, outcome in zip(items, outcomes, strict=True):
        if item.answer.done():
            continue
        if isinstance(outcome, Exception):
            item.answer.set_exception(outcome)
        else:
            item.answer.set_result(outcome)
