"""The files and batches of an OpenAI-compatible server, kept in memory. Standard library only."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

from loopback_server import sent

BATCH_PATHS = ("/v1/files", "/v1/batches")
MAKING = ("POST", "/v1/batches")

Lines = Callable[[dict[str, Any]], tuple[int, object]]
"""What a request is answered: status and body."""


class OpenAiBatches:
    """Answers every request of a batch with `lines` once the batch was looked at `polls` times.

    Attributes:
        ends: the status that the next batches end with; `failed` ones answer nothing, `expired` ones half of their requests.
        requests: all that were answered.
        troubles: how a call (method and path) goes wrong the next time: `500`, or `lost`: it is done, and the answer is an error.
        spoilt: is put in front of every file of answers.
    """

    def __init__(self, lines: Lines, polls: int = 2) -> None:
        self.lines = lines
        self.polls = polls
        self.ends = "completed"
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.requests: list[dict[str, Any]] = []
        self.troubles: dict[tuple[str, str], str] = {}
        self.spoilt = b""

    def answer(self, connection: socket.socket, method: str, path: str, body: bytes) -> bool:
        trouble = self.troubles.pop((method, path), None)
        content = b"" if trouble == "500" else self._content(method, path.partition("?")[0], body)
        if trouble:
            return sent(connection, b"{}", "500 Oops")
        return sent(connection, b"{}", "404 Not Found") if content is None else sent(connection, content)

    def _content(self, method: str, path: str, body: bytes) -> bytes | None:
        kind, *rest = path.removeprefix("/v1/").split("/")
        if method == "POST" and kind == "files":
            return self._file(b"".join(line + b"\n" for line in body.splitlines() if line.startswith(b"{")))
        if method == "POST":
            return self._batch(json.loads(body))
        if kind == "files":
            return self.files.get(rest[0])
        if not rest:
            return json.dumps({"object": "list", "data": list(self.batches.values()), "has_more": False}).encode()
        return json.dumps(self._looked_at(rest[0])).encode() if rest[0] in self.batches else None

    def _file(self, content: bytes) -> bytes:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        described = {"id": name, "object": "file", "bytes": len(content), "created_at": 1, "filename": "f", "purpose": "batch"}
        return json.dumps(described).encode()

    def _batch(self, asked: dict[str, Any]) -> bytes:
        assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
        name = f"batch_{len(self.batches) + 1}"
        total = len(self.files[asked["input_file_id"]].splitlines())
        counts = {"total": total, "completed": 0, "failed": 0}
        batch = {"id": name, "object": "batch", "created_at": 1, "status": "validating", "request_counts": counts, **asked}
        self.batches[name] = {**batch, "looks": 0}
        return json.dumps(batch).encode()

    def _looked_at(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        batch["looks"] += 1
        if batch["looks"] <= self.polls:
            batch["status"] = "in_progress"
        elif batch["status"] == "in_progress":
            batch["status"] = self.ends
            if self.ends == "failed":
                batch["errors"] = {"object": "list", "data": [{"code": "token_limit_exceeded", "message": "no"}]}
            else:
                self._answer_requests(batch)
        return batch

    def _answer_requests(self, batch: dict[str, Any]) -> None:
        lines = self.files[batch["input_file_id"]].splitlines()
        outputs: dict[str, list[str]] = {"output_file_id": [], "error_file_id": []}
        for line in lines[: len(lines) // 2] if self.ends == "expired" else lines:
            entry = json.loads(line)
            assert (entry["method"], entry["url"]) == ("POST", "/v1/chat/completions")
            self.requests.append(entry["body"])
            status, body = self.lines(entry["body"])
            answered = {
                "id": "1",
                "custom_id": entry["custom_id"],
                "response": {"status_code": status, "body": body},
                "error": None,
            }
            outputs["output_file_id" if status == 200 else "error_file_id"].append(json.dumps(answered))
        for kind, found in outputs.items():
            if found:
                batch[kind] = json.loads(self._file(self.spoilt + "\n".join(found).encode()))["id"]
