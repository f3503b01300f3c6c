"""One connection: uvicorn's, which can say how long its caller has kept it waiting."""

from __future__ import annotations

import json
import socket
import struct
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

import h11
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    import uvicorn
    from uvicorn.server import ServerState

    from grice.middleware.serving.connections import CallerConnections

ConnectionPhase = Literal["head", "body", "answer", "close"]
"""What a connection waits for: the headers of a request, its body, our own answer, or the end."""

SLOW_S = 1.0
"""After how many seconds of an unfinished request its caller may be slow."""
SLOW_BYTES = 4096
"""A slow caller sends fewer between two looks."""
MOST_HELD = 16_384
"""Bytes of an answer that are held until more of it comes."""
NOT_HTTP = "This is not a request of HTTP/1.1 that can be read."


class WholeAnswers:
    """A transport that sends an answer in one piece: head and body, which come one after the other, cost one call of the system.

    What comes in parts goes out with the next turn of the event loop, unless the caller is still sending: the system throws away
    what is under way on a connection that ends while something on it is unread, and a caller could find the head of a refusal
    without its body.

    Args:
        conn: knows whether the caller is, and whether the answer is whole.
    """

    def __init__(self, transport: asyncio.Transport, conn: h11.Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._conn = conn
        self._loop = loop
        self._held = bytearray()
        self._flushes: asyncio.Handle | None = None

    @property
    def _is_sending(self) -> bool:
        return self._conn.their_state is h11.SEND_BODY

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Send, or hold until the answer is whole."""
        if self._transport.is_closing():
            return
        self._held += data
        if self._is_sending:
            return
        if self._conn.our_state is not h11.SEND_BODY or len(self._held) > MOST_HELD:
            self.flush()
        elif self._flushes is None:
            self._flushes = self._loop.call_soon(self._flush_part)

    def _flush_part(self) -> None:
        self._flushes = None
        if not self._is_sending:
            self.flush()

    def flush(self) -> None:
        """Send what is held."""
        if self._flushes is not None:
            self._flushes.cancel()
            self._flushes = None
        if self._held and not self._transport.is_closing():
            self._transport.write(bytes(self._held))
        self._held.clear()

    def close(self) -> None:
        """Send what is held, and close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class CallerConnection(H11Protocol):
    """A connection of HTTP/1.1.

    Args:
        since: the loop's time from which on its caller has waited to be begun with; None: not at all.

    Attributes:
        stalled_since: the loop's time from which on the caller has left an answer unread; None: it reads.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        connections: CallerConnections,
        since: float | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state)
        self.stalled_since: float | None = None
        self._is_slow = self._rests = False
        self._received = 0
        self._has_received = False
        self._all = connections
        self._answers = 0
        self._phase: tuple[ConnectionPhase, int] = ("head", 0)
        self._since = self.loop.time() if since is None else since

    @property
    def waits_for(self) -> ConnectionPhase:
        """What it waits for now."""
        if self.transport.is_closing():
            return "close"
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        answered = self.cycle is None or self.cycle.response_complete
        return "head" if answered and self.conn.their_state is h11.IDLE else "answer"

    def waited_s(self, now: float) -> float:
        """For how long it has waited for that, as far as it was asked before; `now` is the loop's time."""
        phase = (self.waits_for, self._answers)
        if phase != self._phase:
            self._phase, self._since = phase, now
        return now - self._since

    @property
    def has_begun(self) -> bool:
        """Whether a part of a request's headers came."""
        return bool(self.conn.trailing_data[0])

    @property
    def _is_asked_half(self) -> bool:
        """Whether a part of a request came, and the rest did not."""
        return self.waits_for == "body" or (self.waits_for == "head" and self.has_begun)

    def read_if_slow(self, now: float) -> bool:
        """Find out whether the caller is slow, and if so read from it until told to rest; whether it is.

        What slow callers send is read only then: each byte is work, and thousands may send one at the same moment. `now` is the
        loop's time.
        """
        few, self._received = self._received < SLOW_BYTES, 0
        self._is_slow = few and self._is_asked_half and self.waited_s(now) >= SLOW_S
        if self._rests:
            self._rests = False
            self.transport.resume_reading()
        return self._is_slow

    def rest(self) -> None:
        """Read no more from the caller, until the next look, if it is still slow."""
        self._rests = self._is_slow and self._is_asked_half and self.transport.is_reading()
        if self._rests:
            self.transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        """A part of a request came."""
        since = self.loop.time() if self._has_received else self._since  # what came first was there when it was accepted
        self._has_received = True
        self._received += len(data)
        super().data_received(data)
        self.waited_s(since)
        self._all.sort(self)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It is there."""
        whole: Any = WholeAnswers(transport, self.conn, self.loop)
        super().connection_made(whole)
        self._all.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is not any more."""
        self._all.discard(self)
        super().connection_lost(exc)
        self.cycle = None  # type: ignore[assignment]  # it knows us: both would wait for the garbage collector, with what was read

    def on_response_complete(self) -> None:
        """An answer went out: of all connections this one is idle for the shortest time now."""
        self._answers += 1
        whole: Any = self.transport
        whole.flush()
        super().on_response_complete()
        self._all.touch(self)

    def pause_writing(self) -> None:
        """The caller does not read as fast as we write."""
        self.stalled_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """It does again."""
        self.stalled_since = None
        super().resume_writing()

    def shutdown(self) -> None:
        """The server stops: the answer under way, or the next one, is the last. One that stays idle is cut."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
            self.cycle.default_headers = [*self.cycle.default_headers, CLOSE_HEADER]

    def cut(self) -> None:
        """End it at once. What is unsent is thrown away: the system would go on offering it to a caller who does not read."""
        accepted = self.transport.get_extra_info("socket")
        if accepted is not None:
            with suppress(OSError):
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """What came is not HTTP."""
        self._all.count("not_http")
        self.refuse(400, "not-http", NOT_HTTP)

    def refuse(self, status: int, kind: str, detail: str) -> None:
        """Answer with a problem, unless an answer has begun, and end the connection. The application finds that the caller left."""
        if self.cycle is not None and not self.cycle.response_complete:
            begun, self.cycle.disconnected = self.cycle.response_started, True
            self.cycle.message_event.set()
            if begun:
                self.cut()
                return
        title = HTTPStatus(status).phrase
        problem = {"type": f"urn:grice:problem:{kind}", "title": title, "status": status, "detail": detail}
        body = json.dumps(problem).encode()
        headers = [
            ("content-type", "application/problem+json"),
            ("content-length", str(len(body))),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("connection", "close"),
        ]
        events = (h11.Response(status_code=status, headers=headers, reason=title.encode()), h11.Data(data=body), h11.EndOfMessage())
        try:
            for event in events:
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:  # an answer is complete, but not the request it is to
            pass
        self.transport.close()
