"""Errors of the proxy's own, in the form of OpenAI's, which clients of language models know."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import httpx
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grice.middleware.service.http.problems import STOPPED, Problem, problem_of

OWN_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
"""Of every answer that is the proxy's own."""

log = logging.getLogger(__name__)


def unreachable(error: httpx.HTTPError) -> Problem:
    """The server behind the proxy gave no answer."""
    late = isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout)
    kind = type(error).__name__
    if late:
        return Problem(504, "upstream_timeout", f"The server behind the proxy did not answer in time ({kind}).")
    return Problem(502, "upstream_unreachable", f"The server behind the proxy gave no answer ({kind}).")


def error_response(problem: Problem) -> JSONResponse:
    """A problem as OpenAI writes errors."""
    kind = "invalid_request_error" if problem.status < 500 else "api_error"
    content: dict[str, Any] = {"message": problem.detail, "type": kind, "param": None, "code": problem.kind.replace("-", "_")}
    return JSONResponse({"error": content}, problem.status, {**OWN_HEADERS, **problem.headers})


class Refusals:
    """Answers errors that are raised before an answer has begun."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope.setdefault("state", {})
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, note)
        except asyncio.CancelledError:  # the server stops, and the grace that it gives is over
            if not begun:
                await error_response(STOPPED)(scope, receive, send)
            raise
        except httpx.HTTPError as error:
            log.warning("the server behind the proxy failed", extra={"error": type(error).__name__})
            if begun:
                raise
            await error_response(unreachable(error))(scope, receive, send)
        except Exception as error:
            if begun:
                raise
            await error_response(problem_of(error))(scope, receive, send)
