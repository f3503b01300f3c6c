"""How long to leave alone what has failed."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

_MOST_DOUBLINGS = 64


@dataclass(frozen=True)
class Backoff:
    """Waits that double with each failure.

    Attributes:
        first_s: the wait after the first failure, in seconds.
        longest_s: no wait is longer.
        spread: the part of each wait that chance decides, 0 to 1, so that several callers do not come back together.
    """

    first_s: float
    longest_s: float
    spread: float = 0.0

    def wait_s(self, failures: int, chance: Callable[[], float] = random.random) -> float:
        """Seconds to wait after so many failures in a row, 1 or more."""
        doubled: float = self.first_s * 2.0 ** min(failures - 1, _MOST_DOUBLINGS)
        return min(self.longest_s, doubled) * (1 - self.spread + self.spread * chance())


def retry_after_s(header: str, now: float | None = None) -> float:
    """The seconds that a `Retry-After` header asks for: a number, or a date (RFC 9110, 10.2.3); 0 where it says neither.

    Args:
        now: Unix seconds; None: the present.
    """
    text = header.strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now))
    except (ValueError, TypeError, OverflowError):
        return 0.0
