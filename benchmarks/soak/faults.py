"""What goes wrong during the soak, one thing after the other, drawn at random."""

from __future__ import annotations

import random
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from grice.benchmarks.hostile.flood import OPENINGS
from grice.benchmarks.worker.local_redis import LocalRedis
from grice.benchmarks.worker.processes import WorkerProcesses

QUIET_S = (1.0, 6.0)
"""Between two faults, from and to."""
HUNG_S = 3.0
FLOOD = 500
"""Connections at once, of all hostile kinds."""
FLOOD_S = 12.0
WORKERS, WORKER_MS = 2, 2.0
WORKER_SETTINGS = {"LEASE_MS": 1000, "BLOCK_MS": 100, "MAX_RETRY_MS": 500, "REDIS_TIMEOUT_MS": 1000, "RESULTS_MAXLEN": 10_000_000}


def start_workers(url: str, folder: Path) -> WorkerProcesses:
    """The workers of a soak, on the Redis at `url`; their log goes to `folder`."""
    return WorkerProcesses(WORKERS, WORKER_MS, {**WORKER_SETTINGS, "REDIS_URL": url}, folder)


class Faults:
    """Makes things go wrong.

    Attributes:
        done: how often each did.
    """

    def __init__(self, redis: LocalRedis, workers: WorkerProcesses, port: int, seed: int) -> None:
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
