"""What asking a model may cost: calls within any hour, dollars within any day."""

from __future__ import annotations

import collections
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from grice.middleware.access import DEFAULT_TENANT
from grice.models.errors import BudgetExhausted

HOUR_S = 3600
DAY_S = 86_400
STEP_S = 300
"""Dollars are added up by steps of so many seconds, so a dollar counts for a day and up to five minutes more."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Limits:
    """How much may be spent; None: without limit.

    Attributes:
        calls_per_hour: questions that are sent within any hour. A question that has to be repeated is one.
        usd_per_day: US dollars within any day. What is being asked at the moment is not known yet, so it may be passed by the cost
            of the questions that are under way.
    """

    calls_per_hour: int | None = None
    usd_per_day: float | None = None

    def exhausted(self, calls: int, usd: float) -> BudgetExhausted | None:
        """The error for one call more after so many calls and dollars, if there is no room for it."""
        if self.calls_per_hour is not None and calls >= self.calls_per_hour:
            return BudgetExhausted(f"the budget of {self.calls_per_hour} calls an hour is used up")
        if self.usd_per_day is not None and usd >= self.usd_per_day:
            return BudgetExhausted(f"the budget of {self.usd_per_day:g} US dollars a day is used up")
        return None


class Budget(Protocol):
    """Counts calls and dollars, each tenant's apart: the limits hold for each, and none learns from them what another asks.

    All methods may be called from any thread; they raise `StoreError` if it cannot be reached.
    """

    def take(self, tenant: str = DEFAULT_TENANT) -> None:
        """Count one call that is about to be made.

        Raises:
            BudgetExhausted: there is no room for it; it is not counted.
        """
        ...

    def spend(self, usd: float, tenant: str = DEFAULT_TENANT) -> None:
        """Count what a call cost."""
        ...


class MemoryBudget:
    """A `Budget` of this process alone.

    Args:
        clock: the time in Unix seconds.
    """

    def __init__(self, limits: Limits, clock: Clock = time.time) -> None:
        self.limits = limits
        self._clock = clock
        self._accounts: dict[str, _Account] = {}
        self._lock = threading.Lock()

    def take(self, tenant: str = DEFAULT_TENANT) -> None:
        with self._lock:
            now, account = self._clock(), self._account(tenant)
            calls = account.calls
            while calls and calls[0] <= now - HOUR_S:
                calls.popleft()
            error = self.limits.exhausted(len(calls), account.spent(now))
            if error is not None:
                raise error
            calls.append(now)

    def spend(self, usd: float, tenant: str = DEFAULT_TENANT) -> None:
        with self._lock:
            steps, step = self._account(tenant).usd, int(self._clock() // STEP_S)
            steps[step] = steps.get(step, 0.0) + usd

    def _account(self, tenant: str) -> _Account:
        return self._accounts.setdefault(tenant, _Account())


@dataclass
class _Account:
    """What one tenant asked and spent: the times of its calls, and its dollars by step."""

    calls: collections.deque[float] = field(default_factory=collections.deque)
    usd: dict[int, float] = field(default_factory=dict)

    def spent(self, now: float) -> float:
        self.usd = {step: usd for step, usd in self.usd.items() if step >= oldest_step(now)}
        return sum(self.usd.values())


def oldest_step(now: float) -> int:
    """The first step of the day that ends now."""
    return int((now - DAY_S) // STEP_S)
