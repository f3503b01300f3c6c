"""Work that a caller waits for no longer than it can afford."""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Callable
from typing import TypeVar

from grice.models.errors import DeadlineExceeded

Result = TypeVar("Result")


class Deadline:
    """The moment, so many seconds from now, by which something must be done."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until then; 0 once it is over."""
        return max(0.0, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether the moment has come."""
        return not self.allows(0.0)

    def allows(self, wait_s: float) -> bool:
        """Whether there is time left after a wait of so many seconds."""
        return time.monotonic() + wait_s < self._end


class TimedWorkers:
    """Threads that work for callers with a deadline.

    Args:
        count: how many callers are served at a time; more wait, within their deadline.
        name: of the threads.
    """

    def __init__(self, count: int, name: str) -> None:
        self._threads = concurrent.futures.ThreadPoolExecutor(max_workers=count, thread_name_prefix=name)

    def within(self, deadline_ms: float, what: str, work: Callable[[], Result]) -> Result:
        """The result of `work`. A late one is thrown away; what `work` does outside this process goes on.

        Args:
            what: who is late, in the message of the error.

        Raises:
            DeadlineExceeded: there is no result after `deadline_ms` milliseconds.
            Exception: whatever `work` raises, a `TimeoutError` of its own too.
        """
        future = self._threads.submit(work)
        try:
            return future.result(max(0.0, deadline_ms) / 1000)
        except concurrent.futures.TimeoutError:
            if future.done():  # `work` itself raised it, or has just ended
                return future.result()
            future.cancel()
            raise DeadlineExceeded(f"{what} did not answer within {deadline_ms:.0f} ms") from None
