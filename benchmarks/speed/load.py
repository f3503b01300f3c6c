"""Callers of a service: each keeps one connection and waits for its answer before it calls again."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from grice.benchmarks.stats.metrics import Array
from grice.models.dialogue import Dialogue

PATH = "/v1/rewrite"
TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True)
class Load:
    """What one round of calls took.

    Attributes:
        seconds: of every call, in the order of the dialogues; NaN where it failed.
        wall: seconds from the first call to the last answer.
    """

    seconds: Array
    wall: float

    @property
    def answered(self) -> int:
        """How many calls were answered."""
        return int(np.isfinite(self.seconds).sum())


class Caller:
    """One connection to the service at `address`, such as "http://127.0.0.1:8300"; `path` is what it calls."""

    def __init__(self, address: str, path: str = PATH) -> None:
        self._path = path
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT_SECONDS)

    def rewrite(self, body: bytes) -> float:
        """Send one request; the seconds until its answer was read, NaN when it was not 200."""
        begin = time.perf_counter()
        try:
            self._connection.request("POST", self._path, body, {"Content-Type": "application/json"})
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return float("nan")
        return time.perf_counter() - begin if answer.status == 200 else float("nan")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def body_of(dialogue: Dialogue) -> bytes:
    """The request that rewrites the last turn of a dialogue."""
    return json.dumps({"turns": [{"speaker": turn.speaker, "text": turn.text} for turn in dialogue.turns]}).encode()


def drive(address: str, bodies: Sequence[bytes], callers: int) -> Load:
    """Send every body once, by `callers` at the same time."""

    def open_caller() -> tuple[Call, Callable[[], None]]:
        caller = Caller(address)
        return lambda place: caller.rewrite(bodies[place]), caller.close

    begin = time.perf_counter()
    seconds = share(len(bodies), callers, open_caller)
    return Load(seconds, time.perf_counter() - begin)


Call = Callable[[int], float]
"""Makes the call at a place; the seconds that it took."""


def share(count: int, callers: int, open_caller: Callable[[], tuple[Call, Callable[[], None]]]) -> Array:
    """Seconds of `count` calls, which `callers` share; each opens what it calls with, and closes it."""
    seconds = np.full(count, np.nan)
    places = iter(range(count))
    lock = threading.Lock()

    def work() -> None:
        call, close = open_caller()
        while True:
            with lock:
                place = next(places, None)
            if place is None:
                break
            seconds[place] = call(place)
        close()

    threads = [threading.Thread(target=work) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seconds
