"""Fixtures that several test files share."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_service import RedisServer

collect_ignore = [] if importlib.util.find_spec("rasa") else ["rasa"]
"""The tests of the components run in Rasa's own environment: `make test-rasa`."""


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
