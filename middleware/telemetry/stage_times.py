"""How long the stages of some work take, for whoever asked for it: what the header `Server-Timing` tells."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

HEADER = "server-timing"
PREFIX = "grice."
"""Of the names of stages, as of spans; the header leaves it out."""


class StageTimes:
    """Seconds by stage. A stage that runs again adds to its time. Thread-safe."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._lock = threading.Lock()

    def add(self, stage: str, seconds: float) -> None:
        """A stage took so many seconds, from its begin to its end, waiting included."""
        with self._lock:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + seconds

    def add_all(self, others: StageTimes) -> None:
        """The times of some work count here, too."""
        for stage, seconds in others.seconds().items():
            self.add(stage, seconds)

    def seconds(self) -> dict[str, float]:
        """Seconds by stage, in the order in which the stages ended first."""
        with self._lock:
            return dict(self._seconds)

    def header(self) -> str:
        """Milliseconds in the form of the header, such as `directness;dur=12.3, rewriter;dur=80.1`; "" without a stage.

        Source: W3C Server Timing, https://www.w3.org/TR/server-timing/.
        """
        return ", ".join(f"{stage.removeprefix(PREFIX)};dur={1000 * each:.1f}" for stage, each in self.seconds().items())


_times: ContextVar[StageTimes | None] = ContextVar("grice_stage_times", default=None)


@contextmanager
def timing() -> Iterator[StageTimes]:
    """Time the stages inside. Threads that are started inside have to be given the context (`contextvars.copy_context`)."""
    times = StageTimes()
    token = _times.set(times)
    try:
        yield times
    finally:
        _times.reset(token)


@contextmanager
def timed(stage: str) -> Iterator[None]:
    """Add the time that the block takes to the times of whoever asked for it; nothing where nobody did."""
    times, began = _times.get(), monotonic()
    try:
        yield
    finally:
        if times is not None:
            times.add(stage, monotonic() - began)
