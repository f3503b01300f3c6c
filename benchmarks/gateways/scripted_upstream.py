"""An OpenAI-compatible server that streams numbers: what is lost or out of order on the way shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class StreamScript:
    """What it answers to every chat completion.

    Attributes:
        chunks: how many numbers it says.
        first_ms: how long it thinks before the first, in milliseconds.
        pause_ms: how long before each other one.
        reads_s: how long the user reads the reply before the next turn, in seconds.
    """

    chunks: int = 60
    first_ms: float = 20.0
    pause_ms: float = 5.0
    reads_s: float = 0.0

    @property
    def text(self) -> str:
        """The whole reply."""
        return "".join(map(said, range(self.chunks)))


def said(number: int) -> str:
    """What a chunk says."""
    return f"{number} "


@asynccontextmanager
async def scripted_upstream(script: StreamScript) -> AsyncIterator[str]:
    """The address of the server, while it runs in this event loop."""
    writers: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers[writer] = asyncio.current_task()
        try:
            while await _read_request(reader):
                await _answer(writer, script)
        except (ConnectionError, asyncio.IncompleteReadError):  # the caller went away
            pass
        finally:
            del writers[writer]
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        tasks = [task for task in writers.values() if task is not None]
        for writer in tuple(writers):
            writer.close()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> bool:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return False
    lengths = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    await reader.readexactly(int(lengths[0]) if lengths else 0)
    return True


async def _answer(writer: asyncio.StreamWriter, script: StreamScript) -> None:
    writer.write(HEAD)
    for number in range(script.chunks):
        await asyncio.sleep((script.pause_ms if number else script.first_ms) / 1000)
        choice = {"index": 0, "delta": {"content": said(number)}, "finish_reason": None}
        _write(writer, json.dumps({"id": "1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}))
        await writer.drain()
    _write(writer, "[DONE]")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _write(writer: asyncio.StreamWriter, data: str) -> None:
    line = f"data: {data}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(line), line))
