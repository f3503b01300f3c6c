"""A small HTTP server on loopback that answers as badly as a test wants. Standard library only: the tests of Rasa use it too."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Answer = Callable[[socket.socket, bytes], bool]
"""Answers one request; whether the connection stays open."""


class LoopbackServer:
    """Answers every request with `answer`, which may be replaced at any time, and health probes with `healthy`."""

    def __init__(self, answer: Answer, healthy: bool = True) -> None:
        self.answer = answer
        self.healthy = healthy
        self.connections = 0
        self.requests: list[bytes] = []
        self.cut = threading.Event()
        """Set when a client ended a connection that it got no full answer on."""
        self.stopped = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def stop(self) -> None:
        self.stopped.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        while not self.stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        is_new = True
        with connection, contextlib.suppress(OSError):
            while request := _read(connection):
                if request.startswith(b"GET /health/live"):
                    if not (self.healthy and sent(connection, b"{}")):
                        return
                    continue
                self.connections += is_new
                is_new = False
                self.requests.append(request)
                if not self.answer(connection, request):
                    return


def _read(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    while len(body) < int(lengths[0] if lengths else 0):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def loopback(answer: Answer, healthy: bool = True) -> Iterator[LoopbackServer]:
    server = LoopbackServer(answer, healthy)
    try:
        yield server
    finally:
        server.stop()


def sent(connection: socket.socket, body: bytes, status: str = "200 OK", more: str = "") -> bool:
    """Send a whole answer and keep the connection."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{more}content-length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return True


def saying(body: object, status: str = "200 OK", more: str = "") -> Answer:
    """Answers `body`, as JSON unless it is bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda connection, _: sent(connection, data, status, more)


def hanging(server_cut: threading.Event) -> Answer:
    """Never answers; sets the event when the client goes away."""

    def hang(connection: socket.socket, _: bytes) -> bool:
        if connection.recv(1) == b"":
            server_cut.set()
        return False

    return hang


def dripping(start: bytes, server_cut: threading.Event) -> Answer:
    """Sends `start`, then a byte every 20 ms for ever; sets the event when the client goes away."""

    def drip(connection: socket.socket, _: bytes) -> bool:
        try:
            connection.sendall(start)
            while True:
                time.sleep(0.02)
                connection.sendall(b"x")
        except OSError:
            server_cut.set()
        return False

    return drip


def items_of(request: bytes) -> list[dict[str, object]]:
    """The items of a request."""
    items: list[dict[str, object]] = json.loads(request.partition(b"\r\n\r\n")[2])["items"]
    return items


def analysing(rewrite: Callable[[list[str]], str | None]) -> Answer:
    """Speaks as `POST /v1/turns` does: `rewrite` gets the texts of a dialogue and gives the last in direct form, None: direct."""

    def answer(connection: socket.socket, request: bytes) -> bool:
        rows = [turn_row(item, rewrite) for item in items_of(request)]
        return sent(connection, json.dumps({"items": rows, "schema_version": 1}).encode())

    return answer


def turn_row(item: dict[str, object], rewrite: Callable[[list[str]], str | None]) -> dict[str, object]:
    """One item of an answer of `POST /v1/turns`."""
    turns = item["turns"]
    assert isinstance(turns, list)
    texts = [turn["text"] for turn in turns]
    read = {"history_read": len(texts) - 1, "history_cut": 0, "text_cut": False}
    new = rewrite(texts)
    made = None if new is None else {"text": new, "confidence": 0.9, "tokens": 5, "finished": True, **read}
    text = texts[-1] if new is None else (new if item.get("mode") == "replace" else f"{texts[-1]}. {new}")
    return {
        "dialogue_id": None,
        "original": texts[-1],
        "text": text,
        "decision": "pass" if new is None else "rewrite",
        "reason": "direct" if new is None else "indirect",
        "directness": {"score": 0.9 if new is None else 0.1, **read},
        "rewrite": made,
        "findings": [],
        "failures": [],
    }
