"""A real REST service in its own process, for measuring from outside."""

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
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from grice.middleware.settings import PREFIX
from grice.models.errors import ModelError

START = "import sys; from grice.middleware.cli import main; sys.exit(main())"
ADDRESS = re.compile(r"http://[\w.\-]+:\d+")
START_SECONDS = 120.0
STOP_SECONDS = 10.0


class RestService:
    """`grice serve`, as a context manager.

    Args:
        settings: its environment variables (`GRICE_BATCH_SIZE`, …). Ours do not reach it: the figures are those of the
            defaults.
        port: where it listens; 0: on a free port.

    Attributes:
        address: where it listens, such as "http://127.0.0.1:8300"; there once it was entered.

    Raises:
        ModelError: on entering, when it does not come up; says its last line.
    """

    def __init__(self, settings: Mapping[str, str], port: int = 0) -> None:
        self._settings = dict(settings)
        self._port = port

    def __enter__(self) -> RestService:
        self._output = tempfile.NamedTemporaryFile(prefix="grice-serve-", suffix=".log")
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, "serve", "--port", str(self._port)],
            env={**_without_settings(os.environ), "PYTHONUNBUFFERED": "1", **self._settings},
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        try:
            self._wait()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop()

    def hang(self) -> None:
        """Take connections and answer nothing from now on."""
        self._process.send_signal(signal.SIGSTOP)

    def _wait(self) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            said = Path(self._output.name).read_text(encoding="utf-8", errors="replace")
            if self._process.poll() is not None:
                last = (said.strip().splitlines() or ["it said nothing"])[-1]
                raise ModelError(f"the REST service stopped with status {self._process.returncode}: {last}")
            found = ADDRESS.search(said)
            if found and _ready(found.group()):
                self.address = found.group()
                return
            time.sleep(0.1)
        raise ModelError(f"the REST service was not ready within {START_SECONDS:.0f} s")

    def _stop(self) -> None:
        self._process.send_signal(signal.SIGCONT)
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()


def _ready(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith(PREFIX)}
