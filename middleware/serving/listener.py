"""Takes connections while there is room for them."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import ssl
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from grice.middleware.serving.connection import CallerConnection
from grice.middleware.serving.connections import CallerConnections
from grice.middleware.settings import ConnectionSettings

BACKLOG = 2048
"""Connections that the system holds ready."""
TAKEN_AT_ONCE = 64
"""Connections that are taken from the system before others are served. Taking one is little work, what it asks for may be much."""
AGAIN_S = 0.1
"""After how many seconds connections are taken again when the system had no file for one."""
OTHER_FILES = 128
"""Files that are left to the rest of the process: models, logs, connections to Redis."""
SEND_BUFFER = 65_536
"""Bytes of an answer that the system keeps for a caller who does not read; the system itself would keep megabytes."""

log = logging.getLogger(__name__)


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there; of an address that a name has, the first of IPv4 if there is one.

    Raises:
        OSError: the port cannot be had.
    """
    families = [each[0] for each in socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)]
    listening = socket.create_server((host, port), family=min(families), backlog=BACKLOG)
    listening.setblocking(False)
    return listening


def room_for(wanted: int) -> int:
    """How many of the wanted connections the process may have; its limit of open files is raised as far as it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + OTHER_FILES
    if resource.RLIM_INFINITY != soft < needed:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard == resource.RLIM_INFINITY else min(needed, hard), hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    most = min(wanted, soft - min(OTHER_FILES, soft // 2))
    log.warning("the limit of open files allows fewer connections", extra={"connections": most, "files": soft})
    return most


class Listener:
    """Accepts connections of one socket.

    Where thousands come at once, the newest and the oldest are begun with together, two in each turn of the event loop. So whoever
    comes now is served at once, and nobody waits for ever; in the order of their coming all would wait as long as the last
    (adaptive LIFO; Maurer, "Fail at Scale", 2015).

    Args:
        listening: the socket, which it closes.
        connections: those that it accepted; they make room for others.
        make: a new connection, of a caller who has waited since then, on the loop's clock.
        limits: how many there may be, and how long a TLS handshake may take.
        tls: None: plain HTTP.
    """

    def __init__(
        self,
        listening: socket.socket,
        connections: CallerConnections,
        make: Callable[[float], CallerConnection],
        limits: ConnectionSettings,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.socket = listening
        self.connections = connections
        self._make = make
        self._most = limits.max_connections
        self._handshake_s = limits.head_timeout_s
        self._tls = tls
        self._taken: deque[tuple[socket.socket, float]] = deque()
        self._begins: asyncio.Handle | None = None
        self._beginning: dict[asyncio.Task[None], None] = {}
        self._is_open = False

    def start(self) -> None:
        """Begin to accept; call it inside the event loop."""
        self._is_open = True
        asyncio.get_running_loop().add_reader(self.socket, self._accept)

    async def close(self) -> None:
        """Accept those that the system holds ready, and no more."""
        if not self._is_open:
            return
        self._is_open = False
        asyncio.get_running_loop().remove_reader(self.socket)
        while self._taken:
            self._begin(*self._taken.popleft())
        # From here to `close` nothing else runs: who connects later is refused by the system.
        with suppress(OSError):
            while not self._is_full:
                self._begin(self.socket.accept()[0], asyncio.get_running_loop().time())
        self.socket.close()
        if self._beginning:
            await asyncio.gather(*self._beginning, return_exceptions=True)

    @property
    def _is_full(self) -> bool:
        return len(self.connections) + self.connections.beginning + len(self._taken) >= self._most

    def _accept(self) -> None:
        for _ in range(TAKEN_AT_ONCE):
            try:
                accepted, _ = self.socket.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError:
                self._wait_for_files()
                return
            self._make_room()
            if self._is_full and self._taken:
                self._refuse(self._taken.popleft()[0])
            if self._is_full and not self._beginning:
                self._refuse(accepted)
                continue
            self._taken.append((accepted, asyncio.get_running_loop().time()))
            if self._begins is None:
                self._begins = asyncio.get_running_loop().call_soon(self._begin_some)

    def _refuse(self, accepted: socket.socket) -> None:
        self.connections.count("refused")
        accepted.close()

    def _begin_some(self) -> None:
        for take in (self._taken.pop, self._taken.popleft):
            if self._taken:
                self._begin(*take())
        self._begins = asyncio.get_running_loop().call_soon(self._begin_some) if self._taken else None

    def _make_room(self) -> None:
        while self._is_full and self.connections.make_room():
            pass
        # Those that begin are among the others in a moment, and can make room then; but a TLS handshake may take long.
        if self._is_full and self._tls is not None and self._beginning:
            next(iter(self._beginning)).cancel()

    def _wait_for_files(self) -> None:
        self.connections.count("files")
        self.connections.make_room()
        loop = asyncio.get_running_loop()
        loop.remove_reader(self.socket)
        loop.call_later(AGAIN_S, lambda: loop.add_reader(self.socket, self._accept) if self._is_open else None)

    def _begin(self, accepted: socket.socket, since: float) -> None:
        accepted.setblocking(False)
        with suppress(OSError):
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        connection = self._make(since)
        self.connections.begin(connection)
        task = asyncio.get_running_loop().create_task(self._connect(accepted, connection))
        self._beginning[task] = None
        task.add_done_callback(lambda done: self._end(done, accepted, connection))

    def _end(self, done: asyncio.Task[None], accepted: socket.socket, connection: CallerConnection) -> None:
        self._beginning.pop(done, None)
        self.connections.end_begin(connection)
        if done.cancelled():
            accepted.close()

    async def _connect(self, accepted: socket.socket, connection: CallerConnection) -> None:
        loop, limit = asyncio.get_running_loop(), self._handshake_s if self._tls else None
        try:
            await loop.connect_accepted_socket(lambda: connection, accepted, ssl=self._tls, ssl_handshake_timeout=limit)
        except (OSError, asyncio.TimeoutError):
            self.connections.count("handshake")
            accepted.close()
