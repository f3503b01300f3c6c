"""The last responses that somebody should look at."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from grice.middleware.monitor import ScoredResponse


@dataclass(frozen=True)
class Alarm:
    """A response that somebody should look at, and its place in the order: `MILLISECONDS-NUMBER`, as Redis names entries."""

    place: str
    response: ScoredResponse


class Alarms:
    """Keeps the newest alarming responses, and wakes those who wait for more. May be used from any thread.

    Args:
        kept: how many.
        clock: Unix seconds.
    """

    def __init__(self, kept: int, clock: Callable[[], float] = time.time) -> None:
        self._alarms: deque[Alarm] = deque(maxlen=kept)
        self._clock = clock
        self._newest = (0, 0)
        self._lock = threading.Lock()
        self._waiting: set[Callable[[], object]] = set()

    def add(self, responses: Sequence[ScoredResponse]) -> None:
        """Keep those that are alarming; they get the next places."""
        with self._lock:
            places = [self._next() for _ in responses]
            found = self._keep(places, responses)
        self._wake(found)

    def add_at(self, places: Sequence[str], responses: Sequence[ScoredResponse]) -> None:
        """Keep those that are alarming, at places that come after all earlier ones."""
        with self._lock:
            found = self._keep(places, responses)
        self._wake(found)

    def after(self, place: str | None, last: int | None = None) -> list[Alarm]:
        """The alarms after that place (None: all that are kept), oldest first; of them the newest `last`.

        Raises:
            ValueError: `place` is none.
        """
        start = (0, 0) if place is None else order_of(place)
        with self._lock:
            found = [alarm for alarm in self._alarms if order_of(alarm.place) > start]
        return found if last is None else found[max(0, len(found) - last) :]

    def at(self, place: str) -> Alarm | None:
        """The alarm at that place; None where it is not kept."""
        with self._lock:
            return next((alarm for alarm in self._alarms if alarm.place == place), None)

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Within it `wake` is called, from any thread, whenever there are new alarms."""
        with self._lock:
            self._waiting.add(wake)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.discard(wake)

    def _next(self) -> str:
        moment, number = self._newest
        now = max(moment, round(self._clock() * 1000))
        self._newest = (now, number + 1 if now == moment else 0)
        return f"{self._newest[0]}-{self._newest[1]}"

    def _keep(self, places: Sequence[str], responses: Sequence[ScoredResponse]) -> bool:
        found = [Alarm(place, each) for place, each in zip(places, responses, strict=True) if each.is_alarming]
        self._alarms.extend(found)
        return bool(found)

    def _wake(self, found: bool) -> None:
        if found:
            with self._lock:
                waiting = list(self._waiting)
            for wake in waiting:
                wake()


def order_of(place: str) -> tuple[int, int]:
    """A place as numbers that can be compared.

    Raises:
        ValueError: it is none.
    """
    moment, _, number = place.partition("-")
    return int(moment), int(number)
