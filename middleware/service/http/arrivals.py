"""What is known of a call when it arrives: until when it has to be answered, and whether it had better come later."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from grice.middleware.access import ANYONE
from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.runtime.deadline import Deadline
from grice.middleware.service.engine import Engine
from grice.middleware.service.http.problems import shown
from grice.middleware.service.waiting.call import CALL, WaitingCall
from grice.models.errors import InputError

HEADER = "x-grice-deadline-ms"
MAX_DIGITS = 15
SMALL = 16_384
"""Bytes of a body up to which a call is turned away unread; how much work a larger one is, is not told by its size."""

PARAMETER: dict[str, Any] = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Milliseconds from the arrival of the call, waiting included, after which its answer is of no use: 503 then. "
    "At most, and by default, the service's own deadline.",
    "schema": {"type": "integer", "minimum": 1, "maximum": 10**MAX_DIGITS - 1},
}
"""How the header is documented."""


class Arrivals:
    """Sets the deadline of each call, and turns away, before they are read, those that would wait too long."""

    def __init__(self, app: ASGIApp, engine: Engine) -> None:
        self.app = app
        self.engine = engine
        self._capabilities = {each.path: each for each in CAPABILITIES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            call = self._call(scope)
            CALL.set(call)
            self._refuse_early(scope, call)
        await self.app(scope, receive, send)

    def _call(self, scope: Scope) -> WaitingCall:
        headers, own_ms = Headers(scope=scope), self.engine.settings.call_deadline_ms
        length = headers.get("content-length", "")
        size = int(length) if length.isdecimal() and len(length) <= MAX_DIGITS else 0
        deadline = Deadline(min(own_ms, deadline_ms(headers.get(HEADER), own_ms)) / 1000)
        return WaitingCall(deadline, scope.get("client") or ("", 0), size)

    def _refuse_early(self, scope: Scope, call: WaitingCall) -> None:
        capability = self._capabilities.get(scope["path"])
        if capability is None or scope["method"] != "POST" or not 0 < call.body_bytes <= SMALL:
            return
        route = self.engine.of(scope["state"].get("caller", ANYONE)).routes.get(capability.name)
        if route is not None and len(route.queues) == 1:
            scope["route"] = capability  # for log and metrics, as no route is looked for any more if this refuses
            for queue in route.queues.values():
                queue.refuse_early(call, route.engine.caller)


def deadline_ms(given: str | None, default: int) -> int:
    """The milliseconds that the header gives.

    Raises:
        InputError: it is not a whole number of 1 or more.
    """
    if given is None:
        return default
    if not (given.isascii() and given.isdecimal() and len(given) <= MAX_DIGITS and int(given) >= 1):
        raise InputError(f"header {HEADER}", shown(given), "a whole number of milliseconds, 1 or more")
    return int(given)
