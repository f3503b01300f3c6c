"""Runs the application on uvicorn."""

from __future__ import annotations

import logging
import signal
import socket
import ssl
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn
from fastapi import FastAPI

from grice.middleware.alerts import AlertSettings
from grice.middleware.service.engine import Engine
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings, is_loopback
from grice.models.errors import SettingsError

log = logging.getLogger(__name__)

DRAIN_S = 10
"""How long requests under way may take after the signal to stop."""


class Server(uvicorn.Server):
    """uvicorn, which says where it listens and ends the application's streams before it waits for them. Its settings say whether it
    speaks TLS.

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
            **tls_options(app.state.engine.settings),
        )
        super().__init__(config)
        self._engine: Engine = app.state.engine
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            scheme = "https" if self.config.is_ssl else "http"
            self._listening(f"{scheme}://{_place(self.servers[0].sockets[0])}")

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
        MissingExtra, SettingsError: as in `create_app`; or certificate and key cannot be used.
        SystemExit: the port cannot be had.
    """
    check_tls(settings)
    run_app(create_app(models, settings, alerts=alerts), settings, listening)


def run_app(app: FastAPI, settings: ServiceSettings, listening: Callable[[str], None]) -> None:
    """Serve an application with an engine, as `serve` does.

    Raises:
        SystemExit: the port cannot be had.
    """
    if not settings.asks_for_keys and not is_loopback(settings.host):
        log.warning("whoever reaches %s may use and read everything: no key is asked for", settings.host)
    server = Server(app, settings.host, settings.port, listening)
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn raises the signal again once it has stopped; the process is to end with status 0 then.
        signal.signal(number, lambda *_: None)
    server.run()


def check_tls(settings: ServiceSettings) -> None:
    """Refuse a certificate, a key or authorities that cannot be used, before models are loaded.

    Raises:
        SettingsError: they cannot.
    """
    if not settings.tls_cert:
        return
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # As a function, or OpenSSL would ask for a password on the terminal.
        context.load_cert_chain(settings.tls_cert, settings.tls_key or None, lambda: settings.tls_key_password)
    except (ssl.SSLError, OSError) as error:
        allowed = f"a certificate in PEM with the key that belongs to it, in tls_key or the same file ({type(error).__name__})"
        raise SettingsError("tls_cert", settings.tls_cert, allowed) from None
    try:
        if settings.tls_client_ca:
            context.load_verify_locations(settings.tls_client_ca)
    except (ssl.SSLError, OSError) as error:
        raise SettingsError("tls_client_ca", settings.tls_client_ca, f"certificates in PEM ({type(error).__name__})") from None


def tls_options(settings: ServiceSettings) -> dict[str, Any]:
    """What uvicorn is told of TLS; nothing: plain HTTP."""
    if not settings.tls_cert:
        return {}
    asked = {"ssl_ca_certs": settings.tls_client_ca, "ssl_cert_reqs": ssl.CERT_REQUIRED} if settings.tls_client_ca else {}
    return {
        "ssl_certfile": settings.tls_cert,
        "ssl_keyfile": settings.tls_key or None,
        "ssl_keyfile_password": settings.tls_key_password or None,
        **asked,
    }


def _place(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
