"""A caller of the service on one connection, as light as it can be: thousands of calls must not slow down what they measure."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class LightAnswer:
    """An answer.

    Attributes:
        status: 0: the connection broke. seconds: from the call to the end of the answer. retry_after_s: of its header; 0: none.
    """

    status: int
    seconds: float
    retry_after_s: float = 0.0


class LightCaller:
    """Keeps a connection to the service at `address`, such as "http://127.0.0.1:8300"."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._writer: asyncio.StreamWriter | None = None
        self._reader: asyncio.StreamReader

    async def post(self, path: str, body: bytes, headers: str = "") -> LightAnswer:
        """Send a body of JSON.

        Args:
            headers: more of them, each with its line end.
        """
        began = time.perf_counter()
        try:
            if self._writer is not None and self._reader.at_eof():
                self.close()
            if self._writer is None:
                self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
            head = f"POST {path} HTTP/1.1\r\nhost: {self._host}\r\ncontent-type: application/json\r\n{headers}"
            self._writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            status, found = await self._read()
        except (OSError, asyncio.IncompleteReadError, ValueError):
            self.close()
            return LightAnswer(0, time.perf_counter() - began)
        return LightAnswer(status, time.perf_counter() - began, float(found.get("retry-after", 0)))

    async def _read(self) -> tuple[int, dict[str, str]]:
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        await self._reader.readexactly(int(headers["content-length"]))
        if headers.get("connection") == "close":
            self.close()
        return int(head[0].split()[1]), headers

    def close(self) -> None:
        """Close the connection; what is asked on it is abandoned."""
        if self._writer is not None:
            self._writer.close()
        self._writer = None
