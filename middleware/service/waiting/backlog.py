"""How long a call would have to wait, as the work stands that waits already."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from grice.middleware.service.waiting.call import WaitingCall
from grice.middleware.service.waiting.returns import Returns

SLOWED = 3.0
"""How many times the time of its own work a call may wait, if that is more than it and the wait that any call may have."""
NEARLY_ALL = 0.8
"""The part of the wait that is kept free for those who were told to come back now."""


@dataclass(frozen=True)
class Wait:
    """What a call would have to wait.

    Attributes:
        own_s, wait_s: seconds of its own work, and for that of others.
        sure: whether work like its own was measured; otherwise its deadline refuses nothing.
        full: whether there is no room for it, however short the wait.
    """

    own_s: float
    wait_s: float
    sure: bool = True
    full: bool = False


@dataclass(frozen=True)
class WaitRefusal:
    """Why a call is not taken.

    Attributes:
        wait_s: seconds that it would have to wait here.
        retry_after_s: seconds after which there should be room for it; None: its own work takes longer than it has.
        is_late: whether only its deadline keeps it from waiting.
    """

    wait_s: float
    retry_after_s: int | None
    is_late: bool = False


def shared_wait_s(caller: Hashable, own_s: float, left_s: Mapping[Hashable, Iterable[float]]) -> float:
    """Seconds that a call waits for others, if time is shared fairly: neither another call nor another caller gets more than it.

    Args:
        own_s: the seconds of its own work.
        left_s: of each caller, the seconds of work that its calls have left.
    """
    beside = sum(min(each, own_s) for each in left_s.get(caller, ()))
    return beside + sum(min(sum(calls), beside + own_s) for name, calls in left_s.items() if name != caller)


class Backlog:
    """Refuses calls that would wait too long.

    Args:
        most_s: seconds that any call may have to wait, and twice that if it comes back when it was told to: times are told in whole
            seconds, so several come together.
        clock: seconds that only go forward.
    """

    def __init__(self, most_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.most_s = most_s
        self._clock = clock
        self._returns = Returns()

    def refusal(self, call: WaitingCall, wait: Wait) -> WaitRefusal | None:
        """Why a call is not taken; None: it is."""
        now = self._clock()
        if call.is_back is None:
            call.is_back = self._returns.came(call.address, now)
        allowed_s = max((1 + call.is_back) * self.most_s + wait.own_s, SLOWED * wait.own_s)
        left_s = call.deadline.left_s - wait.own_s
        if not wait.sure:
            left_s = math.inf
        if left_s < 0:
            return WaitRefusal(wait.wait_s, None, is_late=True)
        most_s = min(allowed_s, left_s)
        promised_s = 0.0 if call.is_back else min(self._returns.due_s(now, most_s), NEARLY_ALL * most_s)
        if wait.wait_s + promised_s <= most_s and not wait.full:
            return None
        after_s = self._returns.promise(call.address, now, max(0.0, wait.wait_s - most_s), wait.own_s, again=call.is_back)
        return WaitRefusal(wait.wait_s, after_s, is_late=wait.wait_s + promised_s <= allowed_s and not wait.full)
