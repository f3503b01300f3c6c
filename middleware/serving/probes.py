"""A small server of health and metrics, in a thread beside a process that serves nothing else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.server import ServerState

from grice.middleware.runtime.shared_call import SharedCall
from grice.middleware.serving.connection import CallerConnection
from grice.middleware.serving.connections import CallerConnections
from grice.middleware.serving.listener import Listener, bind
from grice.middleware.settings import ConnectionSettings

HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
LIMITS = ConnectionSettings(max_connections=64)


@dataclass(frozen=True)
class Health:
    """How a process is: whether it is well, and what it says of itself."""

    is_well: bool
    told: Mapping[str, str]


class ProbeServer:
    """Answers `/metrics`, `/health` (200 if all is well, or 503), and `/health/live` (200: the process answers).

    Args:
        look: finds out how the process is; it may take a second.

    A port of 0 is any free one.

    Raises:
        OSError: the port cannot be had.
    """

    def __init__(self, host: str, port: int, registry: CollectorRegistry, look: Callable[[], Health]) -> None:
        self._health_call = SharedCall(look, "grice-health")
        self._metrics_call = SharedCall(lambda: generate_latest(registry), "grice-metrics")
        self._socket = bind(host, port)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready, self._stop = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="grice-probes", daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()
        self._ready.wait()

    def close(self) -> None:
        """Answer no more."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
        self._socket.close()
        self._health_call.close()
        self._metrics_call.close()

    async def _health(self, _: Request) -> Response:
        found = await self._health_call.result()
        return JSONResponse(dict(found.told), 200 if found.is_well else 503, HEADERS)

    async def _live(self, _: Request) -> Response:
        return JSONResponse({"status": "live"}, headers=HEADERS)

    async def _metrics(self, _: Request) -> Response:
        return Response(await self._metrics_call.result(), headers=HEADERS, media_type=CONTENT_TYPE_LATEST)

    async def _serve(self) -> None:
        routes = [Route("/metrics", self._metrics), Route("/health", self._health), Route("/health/live", self._live)]
        config = uvicorn.Config(
            Starlette(routes=routes), ws="none", lifespan="off", log_config=None, access_log=False, server_header=False
        )
        config.load()
        state, connections = ServerState(), CallerConnections(LIMITS)
        listener = Listener(
            self._socket, connections, lambda since: CallerConnection(config, state, {}, connections, since), LIMITS
        )
        listener.start()
        self._loop = asyncio.get_running_loop()
        watch = self._loop.create_task(connections.watch())
        self._ready.set()
        await self._stop.wait()
        watch.cancel()
        await listener.close()
        connections.abort()
        await asyncio.gather(watch, return_exceptions=True)
