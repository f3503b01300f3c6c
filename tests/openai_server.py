"""A small OpenAI-compatible server on loopback. It says what a test scripted, records what it was asked, and fails the test loudly
if it is asked more, or less, than that. Standard library only."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from loopback_server import Answer, LoopbackServer, loopback, saying, sent
from openai_batches import BATCH_PATHS, OpenAiBatches

Request = dict[str, Any]
"""The body of a request."""
Script = Sequence[Answer] | Callable[[Request], Answer]
"""Answers in order, or what is answered to a request, for questions that are asked side by side."""


def chat(text: str | None, usage: object = (20, 5), finish_reason: str = "stop", refusal: str | None = None) -> Answer:
    """Answers with a chat completion."""
    return saying(completion(text, usage, finish_reason, refusal))


def completion(
    text: str | None, usage: object = (20, 5), finish_reason: str = "stop", refusal: str | None = None
) -> dict[str, object]:
    """A chat completion with so many prompt and completion tokens; `usage` is sent as it is if it is no pair."""
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if isinstance(usage, tuple) else usage
    message = {"role": "assistant", "content": text, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": counts}


def refusing(status: str, code: str | None = None, message: str = "no", more: str = "") -> Answer:
    """An error in OpenAI's form: `refusing("429 Too Many Requests", more="retry-after: 1\\r\\n")`."""
    return saying({"error": {"message": message, "type": "some_error", "param": None, "code": code}}, status, more)


class OpenAiServer:
    """Serves `/v1/chat/completions`, `/v1/models` while it is `healthy`, and what its `batches` serve, if it has any."""

    def __init__(self, server: LoopbackServer, script: Script, batches: OpenAiBatches | None = None) -> None:
        self.batches = batches
        self.url = f"{server.url}/v1"
        self.requests: list[Request] = []
        self.keys: list[str] = []
        """The `Authorization` headers."""
        self.surprises: list[str] = []
        """What it was asked beyond its script."""
        self.healthy = True
        self.script: list[Answer] | Callable[[Request], Answer] = script if callable(script) else list(script)
        self._lock = threading.Lock()

    @property
    def prompts(self) -> list[str]:
        """The last message of each request."""
        return [request["messages"][-1]["content"] for request in self.requests]

    def answer(self, connection: socket.socket, request: bytes) -> bool:
        head, _, body = request.partition(b"\r\n\r\n")
        path = head.split()[1].decode()
        if path == "/v1/models":
            return sent(connection, b'{"object": "list", "data": []}', "200 OK" if self.healthy else "503 Service Unavailable")
        with self._lock:
            if self.batches and path.startswith(BATCH_PATHS):
                return self.batches.answer(connection, head.split()[0].decode(), path, body)
            chosen = self._next(path, head, body)
        return chosen(connection, request)

    def _next(self, path: str, head: bytes, body: bytes) -> Answer:
        self.keys += [
            line.partition(b": ")[2].decode() for line in head.split(b"\r\n") if line.lower().startswith(b"authorization")
        ]
        if path != "/v1/chat/completions" or not self.script:
            self.surprises.append(f"{path} {body.decode()}")
            return refusing("418 I'm a teapot", "script_has_run_out")
        self.requests.append(json.loads(body))
        return self.script(self.requests[-1]) if callable(self.script) else self.script.pop(0)


@contextmanager
def openai_server(script: Script, batches: OpenAiBatches | None = None) -> Iterator[OpenAiServer]:
    """A server with that script; at the end, it must have been asked all of it and nothing else."""
    with loopback(lambda connection, request: server.answer(connection, request)) as below:
        server = OpenAiServer(below, script, batches)
        yield server
    assert not server.surprises
    assert callable(server.script) or not server.script, f"{len(server.script)} answers were not asked for"
