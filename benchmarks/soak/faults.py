"""What goes wrong during the soak, one thing after the other, drawn at random."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from grice.benchmarks.hostile.flood import OPENINGS
from grice.benchmarks.speed.servers import foreign_environment
from grice.benchmarks.worker.local_redis import LocalRedis
from grice.middleware.settings import PREFIX

QUIET_S = (1.0, 6.0)
"""Between two faults, from and to."""
HUNG_S = 3.0
FLOOD = 500
"""Connections at once, of all hostile kinds."""
FLOOD_S = 12.0
WORKER_MS = 2.0
WORKER_SETTINGS = {"LEASE_MS": 1000, "BLOCK_MS": 100, "MAX_RETRY_MS": 500, "REDIS_TIMEOUT_MS": 1000, "RESULTS_MAXLEN": 10_000_000}


class StandInWorkers:
    """Worker processes with a stand-in model; one that is killed is started again.

    Args:
        url: of Redis. folder: where their log goes.
    """

    def __init__(self, url: str, folder: Path, count: int = 2) -> None:
        settings = {PREFIX + name: str(value) for name, value in WORKER_SETTINGS.items()}
        self._environment = {**foreign_environment(), **settings, f"{PREFIX}REDIS_URL": url}
        self._log = folder / "workers.log"
        self._count = count
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> StandInWorkers:
        for _ in range(self._count):
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.kill()
            process.wait()

    def _start(self) -> None:
        command = [sys.executable, "-m", "grice.benchmarks.worker.stand_in_worker", str(WORKER_MS)]
        with self._log.open("ab") as log:
            self._running.append(subprocess.Popen(command, env=self._environment, stderr=log))

    def kill_one(self) -> None:
        """Kill the one that has been running longest, and start another."""
        process = self._running.pop(0)
        process.kill()
        process.wait()
        self._start()


class Faults:
    """Makes things go wrong.

    Attributes:
        done: how often each did.
    """

    def __init__(self, redis: LocalRedis, workers: StandInWorkers, port: int, seed: int) -> None:
        self.done = Counter[str]()
        self._redis = redis
        self._workers = workers
        self._port = port
        self._draw = random.Random(seed)
        self._kinds: dict[str, Callable[[], None]] = {
            "Redis killed": lambda: redis.restart(signal.SIGKILL),
            "Redis restarted": redis.restart,
            "Redis hung": self._hang,
            "worker killed": workers.kill_one,
            "flood": self._flood,
        }

    def run(self, seconds: float) -> None:
        """For so long; each kind comes once before any comes again."""
        end, left = time.monotonic() + seconds, list[str]()
        while time.monotonic() < end:
            time.sleep(self._draw.uniform(*QUIET_S))
            if not left:
                left = list(self._kinds)
                self._draw.shuffle(left)
            kind = left.pop()
            self._kinds[kind]()
            self.done[kind] += 1

    def _hang(self) -> None:
        self._redis.hang()
        time.sleep(HUNG_S)
        self._redis.go_on()

    def _flood(self) -> None:
        with ExitStack() as stack:
            for place in range(FLOOD):
                with suppress(OSError):
                    caller = stack.enter_context(socket.create_connection(("127.0.0.1", self._port), timeout=FLOOD_S))
                    caller.sendall(list(OPENINGS.values())[place % len(OPENINGS)])
            time.sleep(FLOOD_S)
