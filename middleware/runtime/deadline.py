"""Work that a caller waits for no longer than it can afford."""

from __future__ import annotations

import concurrent.futures
import contextvars
import time
from collections.abc import Callable
from typing import TypeVar

from grice.models.errors import DeadlineExceeded
from grice.models.runtime.pause import Stopped, pausing

Result = TypeVar("Result")


class Deadline:
    """The moment, so many seconds from now, by which something must be done."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
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

    def stop_if_over(self) -> None:
        """End the work that calls this, if it is late.

        Raises:
            Stopped: it is.
        """
        if self.is_over:
            raise Stopped


class TimedWorkers:
    """Threads that work for callers with a deadline.

    Args:
        count: how many callers are served at a time; more wait, within their deadline.
        name: of the threads.
    """

    def __init__(self, count: int, name: str) -> None:
        self._threads = concurrent.futures.ThreadPoolExecutor(max_workers=count, thread_name_prefix=name)

    def within(self, deadline_ms: float, what: str, work: Callable[[], Result]) -> Result:
        """The result of `work`. A late one is thrown away: models stop at their next step, what `work` does elsewhere goes on.

        Args:
            what: who is late, in the message of the error.

        Raises:
            DeadlineExceeded: there is no result after `deadline_ms` milliseconds.
            Exception: whatever `work` raises, a `TimeoutError` of its own too.
        """
        deadline = Deadline(max(0.0, deadline_ms) / 1000)

        def run() -> Result:
            with pausing(deadline.stop_if_over):
                return work()

        future = self._threads.submit(contextvars.copy_context().run, run)
        late = DeadlineExceeded(f"{what} did not answer within {deadline_ms:.0f} ms")
        try:
            try:
                return future.result(deadline.left_s)
            except concurrent.futures.TimeoutError:
                if future.done():  # `work` itself raised it, or has just ended
                    return future.result()
                future.cancel()
                raise late from None
        except Stopped:
            if deadline.is_over:
                raise late from None
            raise
