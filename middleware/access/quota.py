"""How much a key may ask for in a minute."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from typing import Protocol

from grice.middleware.access.api_key import ApiKey
from grice.models.errors import QuotaExceeded, StoreError

MINUTE_S = 60.0

log = logging.getLogger(__name__)


class _Allowance:
    """Fills evenly up to what a minute brings. A large request may overdraw it, and the next one waits the longer."""

    def __init__(self, per_minute: int, now: float) -> None:
        self.per_minute = per_minute
        self._left = float(per_minute)
        self._filled = now

    def wait_s(self, least: float, now: float) -> float:
        """Seconds until `least` is there; 0: it is."""
        rate = self.per_minute / MINUTE_S
        self._left = min(float(self.per_minute), self._left + (now - self._filled) * rate)
        self._filled = now
        return max(0.0, (least - self._left) / rate)

    def take(self, amount: float) -> None:
        self._left -= amount


class SharedQuotas(Protocol):
    """Counts for several processes together."""

    def wait_s(self, name: str, per_minute: int, amount: int) -> float:
        """Take `amount` if any is left of that name; 0: it was taken, otherwise the seconds until there is some.

        Raises:
            StoreError: the store cannot be reached.
        """
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


class Quotas:
    """What each key has used. Thread-safe.

    Args:
        shared: where all processes count; None: this one is alone. One that fails is not waited for: this process counts by itself.
        clock: seconds that only go forward.
    """

    def __init__(self, shared: SharedQuotas | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.shared = shared
        self._clock = clock
        self._allowances: dict[str, _Allowance] = {}
        self._lock = threading.Lock()

    def take_request(self, key: ApiKey) -> None:
        """Count a request.

        Raises:
            QuotaExceeded: the key has made as many as it may.
        """
        self._take(key, "requests", key.requests_per_minute, 1)

    def take_work(self, key: ApiKey, amount: int) -> None:
        """Count work that is about to be done.

        Raises:
            QuotaExceeded: the key has used up what it may, whatever this request takes.
        """
        self._take(key, "work", key.work_per_minute, amount)

    def close(self) -> None:
        """Give connections back."""
        if self.shared is not None:
            self.shared.close()

    def _take(self, key: ApiKey, what: str, per_minute: int | None, amount: int) -> None:
        if per_minute is None:
            return
        wait_s = self._wait_s(f"{what}:{key.digest}", per_minute, amount)
        if wait_s > 0:
            units = "requests" if what == "requests" else "units of work"
            raise QuotaExceeded(f"key {key.name} may use {per_minute} {units} a minute and has; try again later", math.ceil(wait_s))

    def _wait_s(self, name: str, per_minute: int, amount: int) -> float:
        if self.shared is not None:
            try:
                return self.shared.wait_s(name, per_minute, amount)
            except StoreError as error:
                log.warning("quotas are counted by this process alone", extra={"error": type(error.__cause__ or error).__name__})
        now = self._clock()
        with self._lock:
            allowance = self._allowances.get(name)
            if allowance is None or allowance.per_minute != per_minute:
                allowance = self._allowances[name] = _Allowance(per_minute, now)
            wait_s = allowance.wait_s(1, now)
            if wait_s == 0:
                allowance.take(amount)
            return wait_s
