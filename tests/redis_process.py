"""A real redis-server on loopback, for the tests of both environments."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis


def eventually(check: Callable[[], bool], seconds: float = 20.0) -> None:
    """Return once `check` holds; fail if that takes far too long."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.01)


class RedisServer:
    """A redis-server process of our own, which can be killed and started again."""

    def __init__(self, binary: str, folder: Path) -> None:
        self.binary = binary
        self.folder = folder
        self.port = _free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start, and return once it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        self.process = subprocess.Popen([self.binary, *options], stdout=subprocess.DEVNULL)
        eventually(self._answers)

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def client(self) -> redis.Redis:
        """A plain client, to look behind the store."""
        return redis.Redis(port=self.port)

    def _answers(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def redis_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One Redis for the whole run; use `redis_server`."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("redis-server is not installed")
    server = RedisServer(binary, Path(tmp_path_factory.mktemp("redis")))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def redis_server(redis_process: RedisServer) -> RedisServer:
    """A running, empty Redis."""
    if redis_process.process is None:
        redis_process.start()
    with redis_process.client() as client:
        client.flushall()
    return redis_process
