"""Real servers in processes of their own, for measuring from outside."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from grice.middleware.settings import PREFIX
from grice.models.errors import ModelError

Entered = TypeVar("Entered", bound="ServerProcess")

START = "import sys; from grice.middleware.cli import main; sys.exit(main())"
ADDRESS = re.compile(r"http://[\w.\-]+:\d+")
START_SECONDS = 180.0
STOP_SECONDS = 15.0


def foreign_environment() -> dict[str, str]:
    """The environment without settings of ours: figures are those of the defaults."""
    return {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}


class ServerProcess(ABC):
    """A server that runs while its context is entered.

    Args:
        label: what it is called in errors.
        command, environment, folder: how and where it is started.
        probe: the path that answers 200 once it can be used.

    Attributes:
        address: where it listens, such as "http://127.0.0.1:8300"; there once it was entered.

    Raises:
        ModelError: on entering, when it does not come up; says its last line.
    """

    def __init__(
        self, label: str, command: Sequence[str | Path], environment: Mapping[str, str], probe: str, folder: Path | None = None
    ) -> None:
        self._label = label
        self._command = command
        self._environment = environment
        self._probe = probe
        self._folder = folder

    @abstractmethod
    def find_address(self, said: str) -> str | None:
        """Where it listens, from what it printed; None as long as that is not known."""

    def __enter__(self: Entered) -> Entered:
        self._output = tempfile.NamedTemporaryFile(prefix="grice-server-", suffix=".log")
        self._process = subprocess.Popen(
            self._command, cwd=self._folder, env=self._environment, stdout=self._output, stderr=subprocess.STDOUT
        )
        try:
            self.address: str = self._ready_address()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop()

    def hang(self) -> None:
        """Take connections and answer nothing from now on."""
        self._process.send_signal(signal.SIGSTOP)

    def _ready_address(self) -> str:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            said = Path(self._output.name).read_text(encoding="utf-8", errors="replace")
            if self._process.poll() is not None:
                last = (said.strip().splitlines() or ["it said nothing"])[-1]
                raise ModelError(f"{self._label} stopped with status {self._process.returncode}: {last}")
            address = self.find_address(said)
            if address and self._answers(address):
                return address
            time.sleep(0.1)
        raise ModelError(f"{self._label} was not ready within {START_SECONDS:.0f} s")

    def _answers(self, address: str) -> bool:
        try:
            with urllib.request.urlopen(f"{address}{self._probe}", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _stop(self) -> None:
        self._process.send_signal(signal.SIGCONT)
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()


class RestService(ServerProcess):
    """`grice serve`.

    Args:
        settings: its environment variables (`GRICE_BATCH_SIZE`, …).
        port: where it listens; 0: on a free port.
    """

    def __init__(self, settings: Mapping[str, str], port: int = 0) -> None:
        super().__init__(
            "the REST service",
            [sys.executable, "-c", START, "serve", "--port", str(port)],
            {**foreign_environment(), "PYTHONUNBUFFERED": "1", **settings},
            "/health/ready",
        )

    def find_address(self, said: str) -> str | None:
        """The first address that it printed."""
        found = ADDRESS.search(said)
        return found.group() if found else None
