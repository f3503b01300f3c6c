"""Who may call `/v1/…`, where keys are set."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from grice.middleware.service.problems import Problem

PROTECTED = "/v1/"

REFUSED = Problem(
    401,
    "unauthorized",
    "This path needs an API key: send the header Authorization: Bearer KEY.",
    headers={"www-authenticate": "Bearer"},
)


class ApiKeys:
    """Refuses requests without a known key, before anything of them is read."""

    def __init__(self, app: ASGIApp, keys: Sequence[str]) -> None:
        self.app = app
        self.keys = [key.encode() for key in keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PROTECTED) and not self._known(Headers(scope=scope)):
            await REFUSED.response(scope)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _known(self, headers: Headers) -> bool:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        given = key.strip().encode("latin-1", "replace")
        matches = [hmac.compare_digest(given, known) for known in self.keys]
        return scheme.lower() == "bearer" and any(matches)
