"""Runs the application on uvicorn."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn
from fastapi import FastAPI

from grice.middleware.alerts import AlertSettings
from grice.middleware.service.engine import Engine
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

DRAIN_S = 10
"""How long requests under way may take after the signal to stop."""


class Server(uvicorn.Server):
    """uvicorn, which says where it listens and ends the application's streams before it waits for them.

    Args:
        app: what `create_app` made.
        port: 0: any free one.
        listening: told the address once requests are taken.
    """

    def __init__(self, app: FastAPI, host: str, port: int, listening: Callable[[str], None]) -> None:
        config = uvicorn.Config(
            app,
            host,
            port,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=DRAIN_S,
        )
        super().__init__(config)
        self._engine: Engine = app.state.engine
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._listening(f"http://{_place(self.servers[0].sockets[0])}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._engine.live.close()
        await super().shutdown(sockets)


def serve(
    models: Mapping[str, Any], settings: ServiceSettings, listening: Callable[[str], None], alerts: AlertSettings | None = None
) -> None:
    """Serve until SIGTERM or SIGINT; `listening` is told the address once requests are taken. Logs go to the root logger.

    Args:
        models: as in `create_app`.

    Raises:
        MissingExtra, SettingsError: as in `create_app`.
        SystemExit: the port cannot be had.
    """
    app = create_app(models, settings, alerts=alerts)
    server = Server(app, settings.host, settings.port, listening)
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn raises the signal again once it has stopped; the process is to end with status 0 then.
        signal.signal(number, lambda *_: None)
    server.run()


def _place(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
