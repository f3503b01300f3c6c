"""A circuit breaker: while the service is known to be down, no user waits for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from grice.middleware.runtime.backoff import Backoff
from grice.models.errors import CircuitOpen

log = logging.getLogger(__name__)

PROBE_EVERY_S = 1.0
LONGEST_PAUSE_S = 8.0


class CircuitBreaker:
    """Opens at the first failure; a thread of its own asks the service until it answers, and closes it again.

    A service that answers the probe but fails again at the next call is probed at twice the interval, up to `LONGEST_PAUSE_S`.

    Args:
        name: of the service, in messages.
        answers: whether the service answers; must not raise, and must return within seconds.
        probe_every_s: seconds between two probes.
    """

    def __init__(self, name: str, answers: Callable[[], bool], probe_every_s: float = PROBE_EVERY_S) -> None:
        self.name = name
        self._answers = answers
        self._backoff = Backoff(probe_every_s, LONGEST_PAUSE_S)
        self._failures = 0
        self._why: str | None = None
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether calls are refused."""
        return self._why is not None

    def check(self) -> None:
        """Return if the service may be called.

        Raises:
            CircuitOpen: it failed and has not answered a probe since.
        """
        why = self._why
        if why is not None:
            raise CircuitOpen(f"{self.name} is not asked until it answers again; it failed before: {why}")

    def succeeded(self) -> None:
        """The service answered a call."""
        self._failures = 0

    def failed(self, why: str) -> None:
        """The service did not answer a call as it should."""
        with self._lock:
            if self._why is not None:
                return
            self._why = why
            self._failures += 1
            pause = self._backoff.wait_s(self._failures)
        log.warning("%s failed and is not asked until it answers again: %s", self.name, why)
        threading.Thread(target=self._probe, args=(pause,), name="grice-probe", daemon=True).start()

    def _probe(self, pause: float) -> None:
        while True:
            time.sleep(pause)
            if self._answers():
                log.info("%s answers again", self.name)
                self._why = None
                return
