"""Processes that are bound to one core each: one and two of them, to see what the second brings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from grice.benchmarks.speed.servers import START, RestService, foreign_environment
from grice.models.errors import ModelError

ONE_THREAD = {"GRICE_PROVIDER": "cpu", "GRICE_THREADS": "1", "GRICE_WORKERS": "1", "OMP_NUM_THREADS": "1"}
PIN = "import os, sys; os.sched_setaffinity(0, {int(sys.argv.pop(1))}); "
"""The first argument is the core."""
ACTOR = PIN + "from grice.benchmarks.scale.actor import main; main(sys.argv[1:])"


def cores() -> list[int]:
    """The cores that this process may use. Pinning is Linux's."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def monitor_on(core: int) -> list[str]:
    """The command of a worker on a core."""
    return [sys.executable, "-c", PIN + START, str(core), "monitor"]


class PinnedService(RestService):
    """`grice serve` on a core."""

    def __init__(self, core: int) -> None:
        super().__init__(ONE_THREAD)
        self._command = [sys.executable, "-c", PIN + START, str(core), "serve", "--port", "0"]


@dataclass(frozen=True)
class ActorTimes:
    """What an actor did.

    Attributes:
        rows: dialogues of each part.
        seconds: that each part took, in the processor's time and by the clock.
    """

    rows: list[int]
    cpu_s: list[float]
    wall_s: list[float]


class ActorProcess:
    """What an actor of `grice batch --ray` does, in a process on a core, without Ray: loads, waits to be told, scores all parts."""

    def __init__(self, core: int, path: Path, tasks: Sequence[str]) -> None:
        self._command = [sys.executable, "-c", ACTOR, str(core), str(path), *tasks]

    def __enter__(self) -> ActorProcess:
        environment = {**foreign_environment(), "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            self._command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._line()  # its models are loaded
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()

    def start(self) -> None:
        """Tell it to score."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def wait(self) -> ActorTimes:
        """What it did."""
        return ActorTimes(**json.loads(self._line()))

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ModelError(f"an actor ended with status {self._process.wait()}")
        return line
