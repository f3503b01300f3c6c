"""The processes of a bot, Rasa server and, if it has actions, action server: started together, waited for, stopped together."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
BOTS = {"town": PROJECT, "support": PROJECT / "support"}
"""The folder of each bot."""
START_S = 600
STOP_S = 10

QUIET = {
    "RASA_TELEMETRY_ENABLED": "false",
    "SQLALCHEMY_SILENCE_UBER_WARNING": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "PYTHONWARNINGS": "ignore",
}


class BotFailed(Exception):
    """A process of the bot could not be started; the message says which, why, and where its log is."""


@dataclass(frozen=True)
class Bot:
    """A running bot.

    Attributes:
        url: the Rasa server, without a slash at the end.
        database: the SQLite file of the town and its bookings; only the town bot writes it.
        log: what the processes printed.
    """

    url: str
    database: Path
    log: Path


@contextlib.contextmanager
def running(model: Path, folder: Path, port: int = 0, actions_port: int = 0, project: Path = PROJECT) -> Iterator[Bot]:
    """The bot with this model while the block runs; ports of 0 are chosen free. Logs and database are kept in `folder`.

    A bot whose `project` has no folder `actions` runs without an action server.

    Raises:
        BotFailed: a port is taken, or a process ended or was not ready within `START_S` seconds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    acts = (project / "actions").is_dir()
    port, actions_port = _checked(port), _checked(actions_port) if acts else 0
    bot = Bot(f"http://127.0.0.1:{port}", folder / "town.db", folder / "bot.log")
    endpoints = folder / "endpoints.yml"
    given = (project / "endpoints.yml").read_text("utf-8")
    endpoints.write_text(given.replace("localhost:5055", f"127.0.0.1:{actions_port}"), "utf-8")
    variables = {**os.environ, **QUIET, "SANIC_HOST": "127.0.0.1", "TOWN_DATABASE": str(bot.database)}
    action_server = ["rasa_sdk", "--actions", "actions", "--port", str(actions_port)]
    commands = {
        **({f"http://127.0.0.1:{actions_port}/health": action_server} if acts else {}),
        f"{bot.url}/status": [
            *("rasa", "run", "--enable-api", "--interface", "127.0.0.1", "--port", str(port)),
            *("--model", str(model), "--endpoints", str(endpoints), "--credentials", str(PROJECT / "credentials.yml")),
        ],
    }
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(bot.log.open("w", encoding="utf-8"))
        started = [
            (health, command[0], stack.enter_context(_process([sys.executable, "-m", *command], project, variables, log)))
            for health, command in commands.items()
        ]
        for health, name, process in started:
            _wait(health, name, process, bot.log)
        yield bot


def _checked(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise BotFailed(
                f"port {port} is taken: stop what listens there, or choose another with --port or --actions-port"
            ) from None
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _process(command: list[str], project: Path, variables: Mapping[str, str], log: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, cwd=project, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and its children: they are one process group, which nothing else is in."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
            return


def _wait(health: str, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise BotFailed(f"{name} ended with status {process.returncode}; the end of {log}:\n{log.read_text('utf-8')[-2000:]}")
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError), urllib.request.urlopen(health, timeout=2):
            return
        time.sleep(0.2)
    raise BotFailed(f"{name} was not ready at {health} within {START_S} s; see {log}")
