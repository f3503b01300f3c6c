"""Fair shares of a model's time: between callers, and between the calls of one caller.

Each has a clock of the time that was spent on it, and the one that is furthest behind is next (weighted fair queueing; Demers,
Keshav and Shenker 1989). Who comes anew starts at the time of the others, so that nobody saves time up.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

Work = TypeVar("Work")
Rank = tuple[float, float, int]
"""Who has the lower one is next."""


@dataclass(eq=False)
class _Call:
    """A call: seconds on its clock, and the order in which those came that are equal."""

    spent: float
    number: int


@dataclass(eq=False)
class _Caller:
    """A caller: seconds on its clock, its calls, and their common time: what a call that shared from the start would have."""

    spent: float
    time: float = 0.0
    calls: dict[Hashable, _Call] = field(default_factory=dict)


class FairShares:
    """Says whose turn it is. Thread-safe."""

    def __init__(self) -> None:
        self._time = 0.0
        self._callers: dict[Hashable, _Caller] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def join(self, caller: Hashable, call: Hashable) -> None:
        """From now on `call` of `caller` wants a share."""
        with self._lock:
            shares = self._callers.setdefault(caller, _Caller(self._time))
            shares.calls[call] = _Call(shares.time, next(self._numbers))

    def leave(self, caller: Hashable, call: Hashable) -> None:
        """It wants none any more."""
        with self._lock:
            calls = self._callers[caller].calls
            del calls[call]
            if not calls:
                del self._callers[caller]

    def spend(self, caller: Hashable, call: Hashable, seconds: float) -> None:
        """Time was spent, or is about to be, on a call; nothing happens if it has left."""
        with self._lock:
            shares = self._callers.get(caller)
            if shares is None or call not in shares.calls:
                return
            shares.spent += seconds
            self._time += seconds / len(self._callers)
            shares.calls[call].spent += seconds
            shares.time += seconds / len(shares.calls)

    def rank(self, caller: Hashable, call: Hashable) -> Rank:
        """Where a call stands; before all others if it has left."""
        with self._lock:
            shares = self._callers.get(caller)
            own = None if shares is None else shares.calls.get(call)
            return (0.0, 0.0, 0) if shares is None or own is None else (shares.spent, own.spent, own.number)

    def in_order(
        self, waiting: Iterable[tuple[Hashable, Hashable, Iterator[Work]]], cost_s: Callable[[Work], float]
    ) -> Iterator[Work]:
        """What is next, and after it, each piece being worked on as it comes.

        Args:
            waiting: caller, call, and the pieces of work that wait of the call.
            cost_s: the seconds that a piece takes.
        """
        lines: dict[Hashable, list[tuple[float, int, Iterator[Work]]]] = {}
        with self._lock:
            for caller, call, work in waiting:
                own = self._callers[caller].calls[call]
                heapq.heappush(lines.setdefault(caller, []), (own.spent, own.number, work))
            callers = [(self._callers[caller].spent, line[0][1], line) for caller, line in lines.items()]
        heapq.heapify(callers)
        while callers:
            spent, _, line = heapq.heappop(callers)
            own_spent, number, work = heapq.heappop(line)
            piece, seconds = next(work, None), 0.0
            if piece is not None:
                yield piece
                seconds = cost_s(piece)
                heapq.heappush(line, (own_spent + seconds, number, work))
            if line:
                heapq.heappush(callers, (spent + seconds, line[0][1], line))
