"""The outermost layer: request id, log line, metrics, and an answer even to errors that nobody foresaw."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grice.middleware.access import ANYONE, ApiKey
from grice.middleware.service.http.metrics import Metrics
from grice.middleware.service.http.problems import STOPPED, problem_of
from grice.middleware.telemetry.trace_context import HEADER as TRACEPARENT
from grice.middleware.telemetry.trace_context import INCOMING, checked_traceparent

HEADER = "x-request-id"
CLIENT_GONE = 499
METHODS = ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH")

log = logging.getLogger(__name__)


class RequestContext:
    """Gives each request its id (the caller's, if it is a plain one), and tells log and metrics how it ended.

    Args:
        own_headers: whether answers get the id and what browsers are told; False: they keep the headers that they have.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, own_headers: bool = True) -> None:
        self.app = app
        self.metrics = metrics
        self.own_headers = own_headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        INCOMING.set(checked_traceparent(Headers(scope=scope).get(TRACEPARENT)))
        request_id = _request_id(Headers(scope=scope).get(HEADER, ""))
        scope.setdefault("state", {})["request_id"] = request_id
        status = CLIENT_GONE

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self.own_headers:
                    headers = MutableHeaders(scope=message)
                    headers[HEADER] = request_id
                    headers.setdefault("x-content-type-options", "nosniff")
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        except asyncio.CancelledError:  # the server stops, and the grace that it gives is over
            if status == CLIENT_GONE:
                await STOPPED.response(scope)(scope, receive, send_with_id)
            raise
        except Exception as error:  # noqa: BLE001 - every failure is answered with a problem
            problem = problem_of(error)
            if status == CLIENT_GONE:
                await problem.response(scope)(scope, receive, send_with_id)
        finally:
            self._tell(scope, request_id, status, time.perf_counter() - started)

    def _tell(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unknown")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self.metrics.request(method, route, status, seconds)
        fields = {"request_id": request_id, "method": method, "route": route, "status": status, "ms": round(seconds * 1000, 2)}
        log.info("request", extra={**fields, **_caller(scope)})


def _caller(scope: Scope) -> dict[str, str]:
    """Whose key it was, where keys are asked for."""
    key: ApiKey = scope["state"].get("caller", ANYONE)
    return {} if key == ANYONE else {"key": key.name, "tenant": key.tenant}


def _request_id(given: str) -> str:
    return given if re.fullmatch(r"[A-Za-z0-9._-]{1,128}", given) else uuid.uuid4().hex
