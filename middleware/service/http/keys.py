"""Who may call `/v1/…`, where keys are set. `/model/parse` checks for itself: Rasa sends its key in the body."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from grice.middleware.service.http.problems import Problem

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
        self.keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["path"].startswith(PROTECTED)
            and not is_known(key_of(Headers(scope=scope)), self.keys)
        ):
            await REFUSED.response(scope)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def key_of(headers: Headers) -> str:
    """The bearer token of a request; empty if there is none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip().encode("latin-1", "replace").decode("utf-8", "replace") if scheme.lower() == "bearer" else ""


def is_known(given: str, keys: Sequence[str]) -> bool:
    """Whether `given` is one of `keys`; takes as long whichever it is."""
    matches = [hmac.compare_digest(given.encode("utf-8", "replace"), key.encode()) for key in keys]
    return any(matches)
