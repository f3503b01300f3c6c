"""Whether the service should be sent requests now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from grice.middleware.runtime.shared_call import SharedCall
from grice.middleware.stores import DialogueStore
from grice.models.errors import StoreError

ReadinessStatus = Literal["ready", "degraded", "busy", "draining"]


@dataclass(frozen=True)
class Readiness:
    """What was found.

    Attributes:
        writable: whether the store can be read and written.
        queue_age_s: for how long the item that waits longest for a model has waited, in seconds.
        status: `draining`: the service stops; `busy`: something has waited too long; `degraded`: it can be used, without the store.
    """

    writable: bool
    queue_age_s: float
    status: ReadinessStatus

    @property
    def is_ready(self) -> bool:
        """Whether requests should come."""
        return self.status in ("ready", "degraded")


class ReadinessCheck:
    """Looks when asked. The store is tried in a thread of its own, so that requests that hang on it do not keep the answer back.

    Args:
        store: is written to.
        queue_age_s: how long the oldest item waits now.
        longest_s: how long one may.
    """

    def __init__(self, store: DialogueStore, queue_age_s: Callable[[], float], longest_s: float) -> None:
        self._store = store
        self._queue_age_s = queue_age_s
        self._longest_s = longest_s
        self._writable = SharedCall(self._is_writable, "grice-ready")
        self._draining = False

    def drain(self) -> None:
        """From now on the service stops."""
        self._draining = True

    async def look(self) -> Readiness:
        """How it is now."""
        writable, age_s = await self._writable.result(), self._queue_age_s()
        status: ReadinessStatus = "ready" if writable else "degraded"
        if age_s > self._longest_s:
            status = "busy"
        return Readiness(writable, age_s, "draining" if self._draining else status)

    def close(self) -> None:
        """Look no more."""
        self._writable.close()

    def _is_writable(self) -> bool:
        try:
            self._store.ping()
        except StoreError:
            return False
        return True
