"""Runs the application on uvicorn."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.server import ServerState

from grice.middleware.alerts import AlertSettings
from grice.middleware.runtime.deadline import Deadline
from grice.middleware.service.engine import Engine
from grice.middleware.service.http.app import create_app, create_probe_app
from grice.middleware.serving.connection import CallerConnection
from grice.middleware.serving.connections import CallerConnections
from grice.middleware.serving.listener import Listener, bind, room_for
from grice.middleware.settings import ConnectionSettings, ServiceSettings, is_loopback
from grice.models.errors import SettingsError

FAILED = 3
"""The status of a process that cannot listen."""
LOOK_S = 0.05
GARBAGE = (2_000, 10, 50)
"""Python's thresholds: all is looked through when there are a million objects more."""
MOST_PROBES = 64
"""Connections to the port of health and metrics."""

log = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """uvicorn, which says where it listens, bounds its connections, and when it stops answers what it has taken. The application's
    settings say whether it speaks TLS, and whether health and metrics have a port of their own.

    Args:
        app: what `create_app` made.
        port: 0: any free one.
        listening: told the address once requests are taken.
        limits: what connections may take.
    """

    def __init__(
        self, app: FastAPI, host: str, port: int, listening: Callable[[str], None], limits: ConnectionSettings | None = None
    ) -> None:
        self._engine: Engine = app.state.engine
        self._limits = limits or ConnectionSettings()
        super().__init__(_config(app, host, port, self._limits, tls_options(self._engine.settings)))
        self._probes = _config(create_probe_app(app), "", 0, self._limits, {})
        self._listening = listening
        self._listeners: list[Listener] = []
        self._watches: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen.

        Raises:
            SystemExit: a port cannot be had.
        """
        settings = self._engine.settings
        try:
            main = bind(self.config.host, self.config.port)
            probes = bind(settings.metrics_host, settings.metrics_port) if settings.metrics_port else None
        except OSError as error:
            log.error("cannot listen: %s", error)
            sys.exit(FAILED)
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(FAILED)
        self.servers = []
        most = room_for(self._limits.max_connections)
        self._listen(main, self.config, self.server_state, replace(self._limits, max_connections=most))
        if probes is not None:
            self._listen(probes, self._probes, ServerState(), replace(self._limits, max_connections=MOST_PROBES))
        self._engine.metrics.connections(lambda: len(self._listeners[0].connections))
        self.started = True
        self._listening(f"{'https' if self.config.is_ssl else 'http'}://{_place(main)}")

    def _listen(self, listening: socket.socket, config: uvicorn.Config, state: ServerState, limits: ConnectionSettings) -> None:
        if not config.loaded:
            config.load()
        connections = CallerConnections(limits, self._engine.metrics.connection_ended)

        def make(since: float) -> CallerConnection:
            return CallerConnection(config, state, self.lifespan.state, connections, since)

        self._listeners.append(Listener(listening, connections, make, limits, config.ssl))
        self._listeners[-1].start()
        self._watches.append(asyncio.get_running_loop().create_task(connections.watch()))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what was taken, within the grace that the settings give, and stop."""
        self._engine.drain()
        notice = Deadline(self._limits.drain_notice_s)
        while not (notice.is_over or self.force_exit):  # noqa: ASYNC110 - a signal sets the flag
            await asyncio.sleep(LOOK_S)
        await self._listeners[0].close()
        self._listeners[0].connections.stop()
        self.server_state.default_headers = [*self.server_state.default_headers, CLOSE_HEADER]
        await super().shutdown()
        for task in self._watches:
            task.cancel()
        for listener in self._listeners:
            await listener.close()
            listener.connections.abort()
        await asyncio.gather(*self._watches, return_exceptions=True)


def _config(app: Any, host: str, port: int, limits: ConnectionSettings, tls: Mapping[str, Any]) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host,
        port,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=limits.idle_timeout_s,  # type: ignore[arg-type]  # it goes to `call_later`, which takes any number
        timeout_graceful_shutdown=limits.drain_s,  # type: ignore[arg-type]  # it goes to `wait_for`
        **tls,
    )


def serve(
    models: Mapping[str, Any],
    settings: ServiceSettings,
    listening: Callable[[str], None],
    alerts: AlertSettings | None = None,
    limits: ConnectionSettings | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; `listening` is told the address once requests are taken. Logs go to the root logger.

    Args:
        models: as in `create_app`.

    Raises:
        MissingExtra, SettingsError: as in `create_app`; or certificate and key cannot be used.
        SystemExit: the port cannot be had.
    """
    check_tls(settings)
    run_app(create_app(models, settings, alerts=alerts), settings, listening, limits)


def run_app(
    app: FastAPI, settings: ServiceSettings, listening: Callable[[str], None], limits: ConnectionSettings | None = None
) -> None:
    """Serve an application with an engine, as `serve` does.

    Raises:
        SystemExit: the port cannot be had.
    """
    if not settings.asks_for_keys and not is_loopback(settings.host):
        log.warning("whoever reaches %s may use and read everything: no key is asked for", settings.host)
    server = Server(app, settings.host, settings.port, listening, limits)
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn raises the signal again once it has stopped; the process is to end with status 0 then.
        signal.signal(number, lambda *_: None)
    _collect_garbage_seldom()
    server.run()


def _collect_garbage_seldom() -> None:
    """What is there now stays, and is not looked through again: models, modules, routes. And what lives long, such as thousands of
    connections, is looked through seldom: everybody waits meanwhile, for a tenth of a second and more."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)


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


def check_port(settings: ServiceSettings) -> None:
    """Refuse a port that cannot be had, before models are loaded.

    Raises:
        SettingsError: another program listens there, it is not allowed, or the host is not an address of this machine.
    """
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise SettingsError("host", settings.host, f"an address of this machine ({error.strerror})") from None
    for family, kind, protocol, _, address in found if settings.port else ():
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(address)
            except OSError as error:
                raise _refused(settings, error) from None


def _refused(settings: ServiceSettings, error: OSError) -> SettingsError:
    if error.errno == errno.EADDRNOTAVAIL:
        return SettingsError("host", settings.host, "an address of this machine")
    why = {
        errno.EADDRINUSE: "another program listens there; `grice doctor --only service` says whether it is Grice",
        errno.EACCES: "this one needs rights of the system",
    }.get(error.errno or 0, str(error.strerror))
    return SettingsError("port", settings.port, f"a free port, or 0 for any ({why})")


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
