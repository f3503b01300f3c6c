"""Is anything lost that the service has taken when it is told to stop under load?"""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass

from grice.benchmarks.hostile.stand_in import BODY, PATH, Service, ServiceProcess

CALLERS = 16
"""Half of them keep their connection, half open one for each request."""
LONGEST_S = 60.0
NO_ROOM = "429"
"""On a slow machine the callers together can be more than is worked on in time: they are told so, which loses nothing."""


@dataclass(frozen=True)
class DrainOutcome:
    """What became of requests.

    Attributes:
        answered: with 200.
        refused: were never taken: the system refused the connection, or the service said that it has no room (429).
        lost: everything else: statuses, and the errors of connections that broke.
        statuses: of the processes, 0: it stopped by itself.
    """

    answered: int
    refused: int
    lost: Counter[str]
    statuses: Counter[str]


def drain(service: Service, signals: int, seed: int = 0) -> DrainOutcome:
    """Start the service that many times, load it, and send SIGTERM at a time drawn at random."""
    draw, found, statuses = random.Random(seed), Counter[str](), Counter[str]()
    for _ in range(signals):
        with ServiceProcess(service) as process:
            callers = [_Visitor(process.port, place % 2 == 0) for place in range(CALLERS)]
            for caller in callers:
                caller.start()
            time.sleep(draw.uniform(0.1, 0.5))
            process.tell_to_stop()
            for caller in callers:
                caller.join()
                found += caller.found
            statuses[str(process.wait(LONGEST_S))] += 1
    answered, refused = found.pop("200", 0), found.pop("refused", 0) + found.pop(NO_ROOM, 0)
    return DrainOutcome(answered, refused, found, statuses)


class _Visitor(threading.Thread):
    """Sends requests until the service takes no more, and counts what becomes of each."""

    def __init__(self, port: int, keeps: bool) -> None:
        super().__init__()
        self.found = Counter[str]()
        self._keeps = keeps
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)

    def run(self) -> None:
        outcome = "200"
        while outcome in ("200", NO_ROOM):
            outcome = _ask(self._connection)
            self.found[outcome] += 1
            if not self._keeps:
                self._connection.close()
        self._connection.close()


def _ask(connection: http.client.HTTPConnection) -> str:
    try:
        connection.request("POST", PATH, BODY, {"content-type": "application/json"})
        answer = connection.getresponse()
        answer.read()
    except ConnectionRefusedError:
        return "refused"
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__
    return str(answer.status)
