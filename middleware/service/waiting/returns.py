"""When those who were refused may come back, so that there is room for each when it comes."""

from __future__ import annotations

import bisect
import itertools
import math
from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from typing import TypeVar

MOST = 4096
"""Promises that are remembered, and connections whose callers do not wait."""
LONGEST_S = 60.0
"""Nobody is told to wait longer."""
EARLY_S, LATE_S = 0.25, 2.0
"""How much earlier, and later, than it was told to a caller comes and still keeps to it."""
CUT_S = 5.0
"""After so long an idle connection is closed, by us or by common clients: who is told to wait longer comes back on another one."""
LEARNED = 0.05
"""How much one caller tells of what the others will do."""


Address = tuple[str, int]
"""Where a call comes from: host and port. The port is that of a connection, as long as it is open."""
Value = TypeVar("Value")


@dataclass(frozen=True)
class _Promise:
    """What a caller was told.

    Attributes:
        due: when to come. told_s: for how long it was to wait. work_s: seconds of work that it will bring.
        trusted: whether it may be one that waits. place: its place among all.
    """

    due: float
    told_s: float
    work_s: float
    trusted: bool
    place: tuple[float, int]


class Returns:
    """Tells each that is refused a time of its own, one after the other as the work can be done.

    Not all come back; which part does is learned, and only for that part time is set aside. So the time that callers are told is
    the wait that they have if those before them come, and short where nobody ever does. A connection on which a call came too early
    is one whose callers do not wait, or that many share: nothing is set aside for it until one comes when it was told to, and it
    says nothing of others.

    All times are seconds on one clock.

    Attributes:
        kept: the part of callers that come when they were told to, 0 to 1.
    """

    def __init__(self) -> None:
        self.kept = 1.0
        self._promises: dict[Address, _Promise] = {}
        self._order: list[tuple[float, int]] = []
        self._callers: dict[tuple[float, int], Address] = {}
        self._long: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
        self._hasty: OrderedDict[Address, None] = OrderedDict()
        self._seen: OrderedDict[Address, float] = OrderedDict()
        self._numbers = itertools.count()
        self._work_s = 0.0

    def due_s(self, now: float, within_s: float) -> float:
        """Seconds of work that will come back within so many seconds."""
        self._forget(now)
        soon = self._order[: bisect.bisect(self._order, (now + within_s, 0))]
        return self.kept * sum(self._promises[self._callers[place]].work_s for place in soon)

    def came(self, who: Address, now: float) -> bool:
        """Whether a caller that calls now comes back as it was told."""
        self._forget(now)
        is_new = now - self._seen.get(who, -CUT_S) >= CUT_S
        _remember(self._seen, who, now)
        if who not in self._promises:
            return is_new and self._came_anew(who[0], now)
        promise = self._promises[who]
        if now < promise.due - EARLY_S:
            self._end(promise)
            _remember(self._hasty, who, None)
            return False
        self._hasty.pop(who, None)
        self._end(promise)
        self._learn(promise, 1.0)
        return True

    def _came_anew(self, host: str, now: float) -> bool:
        """Whether somebody of that host was told to come now, so long ago that its connection is closed."""
        if not (self._long.get(host) and self._long[host][0][0] - EARLY_S <= now):
            return False
        promise = self._promises[self._callers[self._long[host][0]]]
        self._end(promise)
        self._learn(promise, 1.0)
        return True

    def promise(self, who: Address, now: float, least_s: float, work_s: float, again: bool = False) -> int:
        """Whole seconds after which to come back: `least_s`, or when all are served whose return is likely.

        Args:
            again: whether it has come back already, and so is before all others.
        """
        self._forget(now)
        if who in self._promises:
            self._end(self._promises[who])
        trusted = who not in self._hasty
        before_s = 0.0 if again else self._work_s * self.kept
        after_s = math.ceil(min(LONGEST_S, max(1.0, least_s, before_s)))
        place = (now + after_s, next(self._numbers))
        promise = _Promise(now + after_s, after_s, work_s if trusted else 0.0, trusted, place)
        bisect.insort(self._order, place)
        if trusted and after_s >= CUT_S:
            bisect.insort(self._long[who[0]], place)
        self._callers[place] = who
        self._promises[who] = promise
        self._work_s += promise.work_s
        if len(self._order) > MOST:
            self._end(self._promises[self._callers[self._order[0]]])
        return after_s

    def _forget(self, now: float) -> None:
        """Those who should have come and did not."""
        while self._order and self._order[0][0] + LATE_S < now:
            promise = self._promises[self._callers[self._order[0]]]
            self._end(promise)
            self._learn(promise, 0.0)

    def _learn(self, promise: _Promise, kept: float) -> None:
        if promise.trusted:
            self.kept += LEARNED * (kept - self.kept)

    def _end(self, promise: _Promise) -> None:
        who = self._callers.pop(promise.place)
        del self._promises[who]
        del self._order[bisect.bisect_left(self._order, promise.place)]
        if promise.trusted and promise.told_s >= CUT_S:
            long = self._long[who[0]]
            del long[bisect.bisect_left(long, promise.place)]
            if not long:
                del self._long[who[0]]
        self._work_s = max(0.0, self._work_s - promise.work_s) if self._order else 0.0


def _remember(known: OrderedDict[Address, Value], who: Address, value: Value) -> None:
    """Keep it, and of all only the latest."""
    known[who] = value
    known.move_to_end(who)
    if len(known) > MOST:
        known.popitem(last=False)
