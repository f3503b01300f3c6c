"""Calls that wait for a model, and whose work is next."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from grice.middleware.service.waiting.call import WaitingCall
from grice.middleware.service.waiting.pace import WorkPace
from grice.middleware.service.waiting.shares import FairShares

Asked = TypeVar("Asked")
Result = TypeVar("Result")

ALIKE_AMONG = 2
"""So many times the items of a batch are looked at for those that are alike."""
LONGER = 4
"""An item that is more work than so many times what calls ask for, and takes long, is worked on alone."""
TOGETHER = 4
"""Such items as all ask for go together, so many at least, however slow the machine: a batch is less work than its items."""
DRIFT = 1.02
"""By how much what calls ask for grows with each call that asks for more; less is believed at once."""
LONG_TOGETHER = 4
"""Long items of one call that are worked on together: parts of a batch run side by side."""


@dataclass(eq=False)
class WaitingItem(Generic[Asked, Result]):
    """One thing that is asked.

    Attributes:
        work: units of it. alone: it goes with no other caller's.
    """

    asked: Asked
    work: float
    waiter: Waiter[Asked, Result]
    answer: asyncio.Future[Result]
    alone: bool = False


@dataclass(eq=False)
class Waiter(Generic[Asked, Result]):
    """A call that waits.

    Attributes:
        since: when it came, on the loop's clock. items: that are not being worked on.
        left: units of work until all is answered. each: units of one item, as a rule.
        is_served: a long item of it is being worked on.
    """

    call: WaitingCall
    caller: Hashable
    since: float
    items: list[WaitingItem[Asked, Result]] = field(default_factory=list)
    left: float = 0.0
    each: float = 0.0
    is_served: bool = False


class WaitingLine(Generic[Asked, Result]):
    """Forms batches.

    Args:
        size: most items of a batch. most_s: most seconds of its work, if it has several.
        pace: the seconds that work takes. As long as it is not known, no item is taken for a long one.

    Attributes:
        usual: units of work of the items of a small call, as of late.
    """

    def __init__(self, size: int, most_s: float, pace: WorkPace) -> None:
        self.shares = FairShares()
        self.waiters: list[Waiter[Asked, Result]] = []
        self._size = size
        self._most_s = most_s
        self._pace = pace
        self.usual = 0.0

    @property
    def items(self) -> int:
        """How many wait."""
        return sum(len(waiter.items) for waiter in self.waiters)

    def join(self, waiter: Waiter[Asked, Result]) -> None:
        """Begin to wait; without items it only has a place."""
        self.shares.join(waiter.caller, waiter)
        self.waiters.append(waiter)
        self.bring(waiter, waiter.items)

    def bring(self, waiter: Waiter[Asked, Result], items: list[WaitingItem[Asked, Result]]) -> None:
        """Who waits says what for."""
        waiter.items = items
        if items:
            self.usual = min(waiter.each, self.usual * DRIFT) if self.usual else waiter.each

    def leave(self, waiter: Waiter[Asked, Result]) -> None:
        """Wait no longer."""
        self.shares.leave(waiter.caller, waiter)
        self.waiters.remove(waiter)

    def take_long(self, most_each: int) -> list[WaitingItem[Asked, Result]]:
        """Items of one call that takes its time: nobody else's go with them. Empty where no such call waits.

        Args:
            most_each: such calls of one caller that are worked on.
        """
        served = Counter(waiter.caller for waiter in self.waiters if waiter.is_served)
        for waiter in sorted(self.waiters, key=lambda each: self.shares.rank(each.caller, each)):
            long = list(itertools.takewhile(self._is_long, waiter.items))[: min(LONG_TOGETHER, self._size)]
            if long and not waiter.is_served and served[waiter.caller] < most_each:
                waiter.items = waiter.items[len(long) :]
                waiter.is_served = True
                return long
        return []

    def take_short(self) -> list[WaitingItem[Asked, Result]]:
        """The items that are next, those of like work together, as many as are done soon."""
        waiting = ((each.caller, each, self._short(each)) for each in self.waiters)
        found = list(itertools.islice(self.shares.in_order(waiting, self._cost_s), ALIKE_AMONG * self._size))
        if len(found) > self._size:
            found[1:] = sorted(found[1:], key=lambda item: abs(item.work - found[0].work))
        batch, seconds = found[:1], sum(map(self._cost_s, found[:1]))
        most_s = max(self._most_s, TOGETHER * self._pace.of(self.usual))
        for item in found[1 : self._size]:
            if seconds + (more := self._cost_s(item)) <= most_s:
                batch.append(item)
                seconds += more
        for item in batch:
            item.waiter.items.remove(item)
        return batch

    def give_back(self, items: list[WaitingItem[Asked, Result]]) -> None:
        """Have them wait again, before the others of their calls."""
        for item in reversed(items):
            if item.waiter in self.waiters:
                item.waiter.items.insert(0, item)

    def _short(self, waiter: Waiter[Asked, Result]) -> Iterator[WaitingItem[Asked, Result]]:
        return itertools.takewhile(lambda item: not self._is_long(item), list(waiter.items))

    def _is_long(self, item: WaitingItem[Asked, Result]) -> bool:
        slow = self._pace.is_known and self._cost_s(item) > self._most_s
        return item.alone or (slow and item.work > LONGER * self.usual)

    def _cost_s(self, item: WaitingItem[Asked, Result]) -> float:
        return self._pace.of(item.work)


def mean(units: Sequence[float]) -> float:
    """Units of work of an item, as a rule; 0 where there is none."""
    return sum(units) / max(1, len(units))
