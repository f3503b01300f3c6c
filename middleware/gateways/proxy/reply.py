"""What a chat completion says, read from the bytes that went to the caller."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 4_000_000
"""A longer reply is not read, and not scored."""


@dataclass(frozen=True)
class ChatReply:
    """The first choice of a completion.

    Attributes:
        id: the completion's name.
        text: what it says; empty where it only calls tools.
    """

    id: str
    text: str


class ReplyReader:
    """Listens to the bytes of a reply, whole or streamed."""

    def __init__(self, media_type: str) -> None:
        self._streams = media_type.startswith("text/event-stream")
        self._bytes = bytearray()
        self._too_long = False

    def add(self, part: bytes) -> None:
        """Note some bytes."""
        self._too_long = self._too_long or len(self._bytes) + len(part) > MOST_BYTES
        if not self._too_long:
            self._bytes += part

    def read(self) -> ChatReply | None:
        """The reply; None where it is none that can be read."""
        if self._too_long:
            return None
        try:
            return _streamed(self._bytes) if self._streams else _whole(json.loads(self._bytes))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None


def _whole(data: Any) -> ChatReply:
    content = data["choices"][0]["message"].get("content")
    return ChatReply(str(data.get("id", "")), content if isinstance(content, str) else "")


def _streamed(data: bytearray) -> ChatReply:
    name, texts = "", []
    for chunk in _chunks(data):
        name = name or str(chunk.get("id", ""))
        for choice in chunk.get("choices") or ():
            content = (choice.get("delta") or {}).get("content")
            if choice.get("index", 0) == 0 and isinstance(content, str):
                texts.append(content)
    return ChatReply(name, "".join(texts))


def _chunks(data: bytearray) -> Iterator[Mapping[str, Any]]:
    for line in bytes(data).splitlines():
        if line.startswith(b"data:") and line[5:].strip() != b"[DONE]":
            chunk = json.loads(line[5:])
            if isinstance(chunk, dict):
                yield chunk
