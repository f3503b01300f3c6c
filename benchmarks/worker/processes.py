"""Worker processes with a stand-in model, of which one can be killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from grice.benchmarks.speed.servers import foreign_environment
from grice.middleware.settings import PREFIX
from grice.models.errors import ModelError


class WorkerProcesses:
    """So many of them, while its context is entered; one that is killed is started again.

    Attributes:
        kills: how many were killed.

    Args:
        cost_ms: what a response costs the model. settings: of the workers, by the name of their variable without `GRICE_`.
        folder: where their log goes.
    """

    def __init__(self, count: int, cost_ms: float, settings: Mapping[str, object], folder: Path) -> None:
        self.kills = 0
        self._environment = {**foreign_environment(), **{PREFIX + name: str(value) for name, value in settings.items()}}
        self._command = [sys.executable, "-m", "grice.benchmarks.worker.stand_in_worker", str(cost_ms)]
        self._log = folder / "workers.log"
        self._count = count
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> WorkerProcesses:
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.kill()
            process.wait()

    def _start(self) -> None:
        with self._log.open("ab") as log:
            self._running.append(subprocess.Popen(self._command, env=self._environment, stderr=log))

    def kill_one(self) -> None:
        """Kill the one that has been running longest, and start another."""
        process = self._running.pop(0)
        process.kill()
        process.wait()
        self.kills += 1
        self._start()

    def stop(self) -> None:
        """Tell them to stop.

        Raises:
            ModelError: one ended with another status than 0, and not by the signal before it had begun to work.
        """
        for process in self._running:
            process.terminate()
        statuses = [process.wait(60) for process in self._running]
        self._running = []
        if not set(statuses) <= {0, -signal.SIGTERM}:
            raise ModelError(f"workers ended with statuses {statuses}; see {self._log}")
