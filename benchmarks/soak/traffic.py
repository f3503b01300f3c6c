"""What honest callers do during the soak, and what they see."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from typing import Any

CALLERS = 4
TURNS = 20
"""Of a dialogue, user and bot taking turns."""
PAUSE_S = 0.05
AGAIN_S = 0.2
TIMEOUT_S = 60.0
HEALTH_EVERY_S = 0.25
MAY_COME_AGAIN = (429, 503)
"""Statuses that say when to try again."""


class DialogueCaller(threading.Thread):
    """Goes through dialogues one by one: each turn is sent as an event until it is taken, a user turn to be analysed too.

    Attributes:
        seen: statuses, by path.
        wrong: what should not be: other statuses, refusals without `Retry-After`, connections that broke.
        taken: the ids of the bot's events that were taken.
    """

    def __init__(self, number: int, port: int, stop: threading.Event) -> None:
        super().__init__()
        self.seen, self.wrong, self.taken = Counter[str](), Counter[str](), set[str]()
        self._number = number
        self._stopping = stop
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)

    def run(self) -> None:
        """Talk until told to stop; a dialogue that has begun is ended."""
        place = 0
        while not self._stopping.is_set():
            self._talk(f"dialogue-{self._number}-{place}")
            place += 1
        self._connection.close()

    def _talk(self, name: str) -> None:
        for turn in range(TURNS):
            speaker = "bot" if turn % 2 else "user"
            event = {
                "event_id": f"{name}.{turn}",
                "dialogue_id": name,
                "speaker": speaker,
                "text": f"Turn {turn} of {name}.",
                "timestamp": time.time(),
            }
            while not self._post("/v1/events", event):
                time.sleep(AGAIN_S)
            if speaker == "bot":
                self.taken.add(event["event_id"])  # type: ignore[arg-type]
            else:
                self._post("/v1/turns", {"text": "Book a table for two.", "dialogue_id": f"turns-of-{name}"})
            time.sleep(PAUSE_S)

    def _post(self, path: str, body: dict[str, Any]) -> bool:
        try:
            self._connection.request("POST", path, json.dumps(body).encode(), {"content-type": "application/json"})
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            # A kept connection may be ended to make room in a flood; the caller has to send again, as HTTP says.
            self.seen[f"{path} {type(error).__name__}"] += 1
            return False
        self.seen[f"{path} {answer.status}"] += 1
        if answer.status in MAY_COME_AGAIN and answer.headers["retry-after"] is None:
            self.wrong[f"{path} {answer.status} without Retry-After"] += 1
        elif answer.status != 200 and answer.status not in MAY_COME_AGAIN:
            self.wrong[f"{path} {answer.status}"] += 1
        return answer.status == 200


class HealthWatch(threading.Thread):
    """Checks on new connections whether the service lives.

    Attributes:
        seconds: that each check took. failed: checks without 200.
    """

    def __init__(self, port: int, stop: threading.Event) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self.failed = Counter[str]()
        self._port = port
        self._stopping = stop

    def run(self) -> None:
        """Check until told to stop."""
        while not self._stopping.wait(HEALTH_EVERY_S):
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_S)
            begun = time.perf_counter()
            try:
                connection.request("GET", "/health/live")
                status = str(connection.getresponse().status)
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
            connection.close()
            if status == "200":
                self.seconds.append(time.perf_counter() - begun)
            else:
                self.failed[status] += 1
