"""A Redis of our own on loopback, which keeps what it acknowledged (AOF) and can be started again."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

import redis

from grice.models.errors import ModelError

START_SECONDS = 30.0


class LocalRedis:
    """redis-server with `appendonly yes` and `appendfsync always`, while its context is entered.

    Args:
        folder: where its files are.

    Raises:
        ModelError: on entering, when redis-server is not installed or does not come up.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"redis://127.0.0.1:{self._port}/0"

    def __enter__(self) -> LocalRedis:
        self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()

    def restart(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it (SIGTERM: it finishes its files; SIGKILL: at once), and start it again."""
        self._process.send_signal(how)
        self._process.wait()
        self._start()

    def hang(self) -> None:
        """Let it take connections and answer nothing, until `go_on`."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it answer again."""
        self._process.send_signal(signal.SIGCONT)

    def client(self) -> redis.Redis:
        """A plain client."""
        return redis.Redis.from_url(self.url)

    def _start(self) -> None:
        binary = shutil.which("redis-server")
        if binary is None:
            raise ModelError("redis-server is not installed; install Redis 7 or newer")
        place = ["--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        lasting = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        self._process = subprocess.Popen([binary, *place, *lasting], stdout=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise ModelError(f"redis-server did not come up on port {self._port}")
            time.sleep(0.01)

    def _answers(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False
