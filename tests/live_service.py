"""Real servers on loopback: the REST service, and Redis."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from fastapi import FastAPI
from redis_process import RedisServer, eventually

from grice.middleware.service.server import Server

__all__ = ["RedisServer", "eventually", "serving"]


@contextmanager
def serving(app: FastAPI) -> Iterator[httpx.Client]:
    """A client of the application, which a real server serves."""
    addresses: list[str] = []
    server = Server(app, "127.0.0.1", 0, addresses.append)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually(lambda: bool(addresses) or not thread.is_alive())
        with httpx.Client(base_url=addresses[0], timeout=30, trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)
    assert not thread.is_alive()
