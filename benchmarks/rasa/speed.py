"""Milliseconds a message takes on a running Rasa server, alone and among four users, with the rewriter and without.

Every user replays turns of his own: the history goes into a new conversation, then the turn is sent and timed, parse and slots.
"""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np

from grice.benchmarks.core.sheet import ScoredRows, Sheet
from grice.benchmarks.rasa.host import RasaHost
from grice.benchmarks.speed.load import Call, share
from grice.benchmarks.speed.servers import RestService, ServerProcess
from grice.benchmarks.speed.timing import percentile
from grice.benchmarks.stats.metrics import Array
from grice.models.data.direct import Triple

USERS = (1, 4)
TURNS = 60
"""Indirect turns that are sent each time."""
WARM_UP = 3
SERVICE_PORT = 18377
"""Of our service; it is named in the configuration that a model is trained with."""
SERVICE_URL = f"http://127.0.0.1:{SERVICE_PORT}"
CALL_SECONDS = 60.0
SHARES = {"p50_ms": 0.5, "p95_ms": 0.95}
"""Of the turns, those that took no longer."""


class RasaServer(ServerProcess):
    """`rasa run --enable-api` of an NLU model on a free port."""

    def __init__(self, host: RasaHost, model: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        listening = ["-i", "127.0.0.1", "-p", str(self.port)]
        command: list[str | Path] = [host.python, "-m", "rasa", "run", "--enable-api", *listening, "-m", str(model)]
        super().__init__("rasa run", command, host.environment(), "/status", host.work)

    def find_address(self, said: str) -> str | None:
        """Where it was told to listen."""
        return f"http://127.0.0.1:{self.port}"


def send(port: int, rows: Sequence[Triple], users: int, label: str) -> Array:
    """Seconds that each row's indirect turn took, sent by `users` at the same time; NaN where it was not answered."""

    def open_caller() -> tuple[Call, Callable[[], None]]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CALL_SECONDS)
        return lambda place: _replay(connection, rows[place], f"{label}-{users}-{place}"), connection.close

    return share(len(rows), users, open_caller)


def _replay(connection: http.client.HTTPConnection, row: Triple, name: str) -> float:
    events = [{"event": turn.speaker, "text": turn.text, "timestamp": float(place)} for place, turn in enumerate(row.history)]
    try:
        if events:
            _post(connection, f"/conversations/{quote(name)}/tracker/events", events)
        begin = time.perf_counter()
        status = _post(connection, f"/conversations/{quote(name)}/messages", {"text": row.indirect, "sender": "user"})
    except (OSError, http.client.HTTPException):
        connection.close()
        return float("nan")
    return time.perf_counter() - begin if status == 200 else float("nan")


def _post(connection: http.client.HTTPConnection, path: str, body: object) -> int:
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def add_server_times(
    sheet: Sheet, host: RasaHost, models: Mapping[str, Path], plain: Mapping[str, str], rows: Sequence[Triple]
) -> None:
    """Add `p50_ms` and `p95_ms` of every model's server, and what it adds to that of its `plain` model, turn by turn."""
    rows = rows[:TURNS]
    groups = [row.dialogue_id for row in rows]
    seconds: dict[tuple[str, int], Array] = {}
    for name, model in models.items():
        with RasaServer(host, model) as server:
            send(server.port, rows[:WARM_UP], 1, "warm-up")
            for users in USERS:
                seconds[name, users] = send(server.port, rows, users, "timed")
    for (name, users), times in seconds.items():
        _add(sheet, f"server-{users}", name, _Waits(times, groups), SHARES)
        if plain[name] != name and (plain[name], users) in seconds:
            added = {f"added_{metric}": part for metric, part in SHARES.items()}
            _add(sheet, f"server-{users}", name, _Waits(times - seconds[plain[name], users], groups), added)


def add_hung_service_times(sheet: Sheet, host: RasaHost, name: str, model: Path, rows: Sequence[Triple]) -> None:
    """Add what four users wait whose bot asks our service at `SERVICE_URL`, from the moment on that the service hangs.

    Raises:
        ModelError: the service does not come up, because something else listens on that port, or its extra is not installed.
    """
    users = max(USERS)
    rows = rows[: users * 5]
    with RestService({}, SERVICE_PORT) as service, RasaServer(host, model) as server:
        send(server.port, rows, users, "warm-up")
        service.hang()
        seconds = send(server.port, rows, users, "hung")
    waits = _Waits(seconds, [row.dialogue_id for row in rows])
    _add(sheet, f"server-{users}-service-hung", name, waits, {**SHARES, "max_ms": 1.0})


@dataclass(frozen=True)
class _Waits:
    """How long each turn took.

    Attributes:
        seconds: shape (turns,); NaN where there was no answer.
        groups: the dialogue of each.
    """

    seconds: Array
    groups: Sequence[str]


def _add(sheet: Sheet, task: str, name: str, waits: _Waits, shares: Mapping[str, float]) -> None:
    answered = np.isfinite(waits.seconds)
    kept = [group for group, there in zip(waits.groups, answered, strict=True) if there]
    rows = ScoredRows(kept, int((~answered).sum()))
    for metric, part in shares.items():
        sheet.add(task, name, metric, percentile(1000 * waits.seconds[answered], part), rows)
