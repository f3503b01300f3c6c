"""Whether the service should be sent requests now."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

from grice.middleware.runtime.shared_call import SharedCall
from grice.models.errors import StoreError

ReadinessStatus = Literal["ready", "degraded", "busy", "draining"]


class Probed(Protocol):
    """Something that is elsewhere and may be away."""

    def ping(self) -> None:
        """Write to it.

        Raises:
            StoreError: it cannot be reached, or refuses.
        """
        ...


@dataclass(frozen=True)
class Readiness:
    """What was found.

    Attributes:
        writable: whether the store can be read and written.
        events_writable: whether all servers of events can be written; None: there are none.
        queue_age_s: for how long the item that waits longest for a model has waited, in seconds.
        status: `draining`: the service stops; `busy`: something has waited too long; `degraded`: it can be used, without the store
            or without events.
    """

    writable: bool
    events_writable: bool | None
    queue_age_s: float
    status: ReadinessStatus

    @property
    def is_ready(self) -> bool:
        """Whether requests should come."""
        return self.status in ("ready", "degraded")


class ReadinessCheck:
    """Looks when asked. What is elsewhere is tried in threads of its own, so that requests that hang on it keep no answer back.

    Args:
        store, events: are written to. No `events`: there are none.
        queue_age_s: how long the oldest item waits now.
        longest_s: how long one may.
    """

    def __init__(self, store: Probed, events: Probed | None, queue_age_s: Callable[[], float], longest_s: float) -> None:
        self._queue_age_s = queue_age_s
        self._longest_s = longest_s
        self._writable = SharedCall(partial(_is_writable, store), "grice-ready")
        self._events = None if events is None else SharedCall(partial(_is_writable, events), "grice-ready-events")
        self._draining = False

    def drain(self) -> None:
        """From now on the service stops."""
        self._draining = True

    async def look(self) -> Readiness:
        """How it is now."""
        events: Awaitable[bool | None] = _nothing() if self._events is None else self._events.result()
        writable, events_writable = await asyncio.gather(self._writable.result(), events)
        age_s = self._queue_age_s()
        status: ReadinessStatus = "degraded" if not writable or events_writable is False else "ready"
        if age_s > self._longest_s:
            status = "busy"
        return Readiness(writable, events_writable, age_s, "draining" if self._draining else status)

    def close(self) -> None:
        """Look no more."""
        for each in (self._writable, self._events):
            if each is not None:
                each.close()


def _is_writable(probed: Probed) -> bool:
    try:
        probed.ping()
    except StoreError:
        return False
    return True


async def _nothing() -> None:
    """There is nothing to try."""
