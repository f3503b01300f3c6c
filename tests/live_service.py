"""Real servers on loopback: the REST service, and Redis."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn
from fastapi import FastAPI
from redis_process import RedisServer, eventually

__all__ = ["RedisServer", "eventually", "serving"]


@contextmanager
def serving(app: FastAPI) -> Iterator[httpx.Client]:
    """A client of the application, which a real uvicorn serves."""
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, ws="none", lifespan="on", log_config=None, access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually(lambda: server.started or not thread.is_alive())
        host, port = server.servers[0].sockets[0].getsockname()
        with httpx.Client(base_url=f"http://{host}:{port}", timeout=30, trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)
    assert not thread.is_alive()
