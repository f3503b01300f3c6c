"""Reads the body of a request, up to a limit, and drops the request when its caller goes away. Bodies are JSON."""

from __future__ import annotations

import asyncio
import json
from email import message
from typing import Any

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grice.middleware.service.http.problems import Problem, Refused, shown

MAX_DIGITS = 15
"""No honest Content-Length has more, and Python refuses to read very long numbers."""


class Body:
    """Hands the application a request whose body is complete; a larger one is refused while it is still being sent."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except ClientDisconnect:
            return
        if body is None:
            await self._too_large().response(scope)(scope, receive, send)
        else:
            await _while_connected(self.app, body, scope, receive, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body; None if it is larger than the limit."""
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and (len(length) > MAX_DIGITS or int(length) > self.max_bytes):
            return None
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self.max_bytes:
                return None
            more = message.get("more_body", False)
        return bytes(body)

    def _too_large(self) -> Problem:
        return Problem(
            413,
            "body-too-large",
            f"The body is larger than {self.max_bytes} bytes; send fewer or shorter items, or raise GRICE_MAX_BODY_BYTES.",
            headers={"connection": "close"},
        )


async def _while_connected(app: ASGIApp, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
    answering = read = dropped = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await gone
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def note(message: Message) -> None:
        nonlocal answering
        answering = True
        await send(message)

    def drop(_: asyncio.Task[Message]) -> None:
        nonlocal dropped
        if work is not None and not answering:
            dropped = True
            work.cancel()

    work = asyncio.current_task()
    gone = asyncio.ensure_future(receive())
    gone.add_done_callback(drop)
    try:
        await app(scope, replay, note)
    except asyncio.CancelledError:
        if not dropped:  # by the server, which stops
            raise
    finally:
        gone.remove_done_callback(drop)
        gone.cancel()


async def require_json(request: Request) -> None:
    """Refuse a body that is not declared as JSON, as browsers' forms and `curl -d` without a header send it."""
    given = request.headers.get("content-type", "")
    if given == "application/json":  # as nearly all are
        return
    header = message.Message()
    header["content-type"] = given or "none/none"
    subtype = header.get_content_subtype()
    if header.get_content_maintype() != "application" or not (subtype == "json" or subtype.endswith("+json")):
        raise Refused(Problem(415, "not-json", f"Content-Type: got {shown(given) or 'none'}; allowed: application/json"))


def parse_json(body: bytes) -> Any:
    """What is in a body. Its errors are those of the framework, where it parses.

    Raises:
        RequestValidationError: it is not JSON, or empty. HTTPException: it cannot be read.
    """
    if not body:
        raise RequestValidationError([{"type": "missing", "loc": ("body",), "msg": "Field required"}])
    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        invalid = {"type": "json_invalid", "loc": ("body", error.pos), "msg": "JSON decode error", "ctx": {"error": error.msg}}
        raise RequestValidationError([invalid]) from None
    except (ValueError, RecursionError):  # not UTF-8, a number of thousands of digits, or thousands of brackets
        raise HTTPException(400) from None
