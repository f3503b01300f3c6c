"""A small HTTP server on loopback that answers as a plain Rasa NLU server does, and can be made to fail."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = Callable[[str], tuple[int, bytes]]


def parse_data(text: str) -> dict[str, Any]:
    """What Rasa answers: every word is a token, every capitalised word and number an entity."""
    spans, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        spans.append([start, start + len(word)])
        start += len(word)
    entities = [
        {"entity": "thing", "start": start, "end": end, "value": text[start:end], "extractor": "Words"}
        for start, end in spans
        if text[start].isupper() or text[start].isdigit()
    ]
    return {
        "text": text,
        "intent": {"name": "book" if "please" in text else "other", "confidence": 0.9},
        "entities": entities,
        "text_tokens": spans,
        "intent_ranking": [],
    }


class PlainNlu(ThreadingHTTPServer):
    """Remembers what it was asked; `answer` makes the answer of a text."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.asked: list[dict[str, Any]] = []
        self.tokens: list[str | None] = []
        self.connections: list[socket.socket] = []
        self.answer: Answer = lambda text: (200, json.dumps(parse_data(text)).encode())

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def texts(self) -> list[str]:
        return [asked["text"] for asked in self.asked]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: PlainNlu

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        url = urlsplit(self.path)
        self.server.asked.append(body)
        self.server.tokens.append(parse_qs(url.query).get("token", [None])[0])
        status, answer = self.server.answer(body["text"]) if url.path == "/model/parse" else (404, b"{}")
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def nlu_server(port: int = 0) -> Iterator[PlainNlu]:
    """A running one."""
    server = PlainNlu(port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        for connection in server.connections:  # those that are kept alive would be answered on
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        server.server_close()
        thread.join()


def slow(seconds: float) -> Answer:
    """An answer that comes late."""

    def answer(text: str) -> tuple[int, bytes]:
        time.sleep(seconds)
        return 200, json.dumps(parse_data(text)).encode()

    return answer
