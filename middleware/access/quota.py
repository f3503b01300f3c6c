"""How much a key may ask for in a minute."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from grice.middleware.access.api_key import ApiKey
from grice.models.errors import QuotaExceeded

MINUTE_S = 60.0


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


class Quotas:
    """What each key has used, in this process.

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._allowances: dict[tuple[str, str], _Allowance] = {}

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
        self._take(key, "units of work", key.work_per_minute, amount)

    def _take(self, key: ApiKey, what: str, per_minute: int | None, amount: int) -> None:
        if per_minute is None:
            return
        now = self._clock()
        allowance = self._allowances.get((key.digest, what))
        if allowance is None or allowance.per_minute != per_minute:
            allowance = self._allowances[key.digest, what] = _Allowance(per_minute, now)
        wait_s = allowance.wait_s(1, now)
        if wait_s > 0:
            raise QuotaExceeded(f"key {key.name} may use {per_minute} {what} a minute and has; try again later", math.ceil(wait_s))
        allowance.take(amount)
