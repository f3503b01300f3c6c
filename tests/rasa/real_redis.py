"""The Redis of the tests, in Rasa's environment."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1]))

from redis_process import RedisServer, eventually

__all__ = ["RedisServer", "eventually", "redis_process", "redis_server"]


@pytest.fixture(scope="module")
def redis_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One Redis for a file; use `redis_server`."""
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
