"""Lets one batch at a time at a model, and a long one give way, between its steps, to whom it would keep waiting."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from grice.middleware.service.waiting.shares import Rank
from grice.models.runtime.pause import Stopped, pausing

Found = TypeVar("Found")

SLICE_S = 0.03
"""Seconds that a batch keeps the model before it gives way: a change costs little, but not nothing."""


class Overran(Stopped):
    """A batch takes much longer than it was taken for."""


@dataclass(eq=False)
class BatchTurn:
    """A batch that wants the model. The functions are called in any thread.

    Attributes:
        rank: who has the lowest is next. wanted: whether anybody still waits for it. spend: told the seconds that it had the model.
        overrun: called once, at a pause, when it had the model for more than `most_s` seconds; it may raise `Overran`.
        held_s: seconds that it had the model. over: it is done with.
    """

    rank: Callable[[], Rank] = lambda: (0.0, 0.0, 0)
    wanted: Callable[[], bool] = lambda: True
    spend: Callable[[float], None] = lambda seconds: None
    most_s: float = math.inf
    overrun: Callable[[], None] = lambda: None
    held_s: float = 0.0
    over: bool = False


class Turnstile:
    """Runs work in the callers' threads, one piece at a time.

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._holder: BatchTurn | None = None
        self._since = self._slice = 0.0
        self._waiting: list[BatchTurn] = []

    @property
    def waiting(self) -> int:
        """Batches that wait."""
        return len(self._waiting)

    @property
    def is_taken(self) -> bool:
        """Whether a batch has the model."""
        return self._holder is not None

    def run(self, turn: BatchTurn, work: Callable[[], Found]) -> Found:
        """What `work` gives, when its turn has come. Where it pauses (`grice.models.runtime.pause`) it may have to wait again.

        Raises:
            Stopped: nobody waits for it any more. Overran: it takes too long.
        """
        try:
            with self._changed:
                self._waiting.append(turn)
                self._wait_for(turn)
            with pausing(lambda: self._pause(turn)):
                return work()
        finally:
            self._leave(turn)

    def look(self) -> None:
        """Notice that turns are not wanted any more, which wait."""
        with self._changed:
            self._changed.notify_all()

    def _pause(self, turn: BatchTurn) -> None:
        with self._changed:
            if self._holder is turn:
                self._account(turn)
                if turn.held_s > turn.most_s:
                    turn.most_s = math.inf
                    turn.overrun()
                if self._clock() - self._slice >= SLICE_S and self._is_due_to_another(turn):
                    self._holder = None
                    self._waiting.append(turn)
                    self._changed.notify_all()
            self._wait_for(turn)

    def _is_due_to_another(self, turn: BatchTurn) -> bool:
        return bool(self._waiting) and min(each.rank() for each in self._waiting) < turn.rank()

    def _wait_for(self, turn: BatchTurn) -> None:
        """Wait until the turn has come. Several threads may work on it."""
        while True:
            if turn.over or not turn.wanted():
                raise Stopped
            if self._holder is turn:
                return
            if self._holder is None and min(self._waiting, key=lambda each: each.rank()) is turn:
                self._waiting.remove(turn)
                self._holder = turn
                self._since = self._slice = self._clock()
                self._changed.notify_all()
                return
            self._changed.wait()

    def _account(self, turn: BatchTurn) -> None:
        now = self._clock()
        turn.held_s += now - self._since
        turn.spend(now - self._since)
        self._since = now

    def _leave(self, turn: BatchTurn) -> None:
        with self._changed:
            if self._holder is turn:
                self._account(turn)
                self._holder = None
            elif turn in self._waiting:
                self._waiting.remove(turn)
            turn.over = True
            self._changed.notify_all()
