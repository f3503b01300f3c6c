"""Runs the application on uvicorn."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

import uvicorn

from grice.middleware.pipeline import Pipeline
from grice.middleware.service.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.protocols import Model
from grice.models.results import Rewrite

DRAIN_S = 10
"""How long requests under way may take after the signal to stop."""


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, listening: Callable[[str], None]) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._listening(f"http://{_place(self.servers[0].sockets[0])}")


def serve(pipeline: Pipeline, softener: Model[Rewrite], settings: ServiceSettings, listening: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `listening` is told the address once requests are taken. Logs go to the root logger.

    Raises:
        SystemExit: the port cannot be had.
    """
    app = create_app(pipeline, softener, settings)
    config = uvicorn.Config(
        app,
        settings.host,
        settings.port,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_S,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn raises the signal again once it has stopped; the process is to end with status 0 then.
        signal.signal(number, lambda *_: None)
    _Server(config, listening).run()


def _place(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
