"""Who may call what, where keys are set. `/model/parse` asks for itself: Rasa sends its key in the body."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from grice.middleware.access import ANYONE, ApiKey, KeyFile, KeyRing
from grice.middleware.access import Scope as KeyScope
from grice.middleware.access.quota import Quotas
from grice.middleware.access.wrong_keys import WrongKeys
from grice.middleware.service.http.problems import Problem, Refused
from grice.middleware.service.http.scopes import PROTECTED, scopes_of
from grice.middleware.settings import ServiceSettings

REFUSED = Problem(
    401,
    "unauthorized",
    "This path needs an API key: send the header Authorization: Bearer KEY.",
    headers={"www-authenticate": "Bearer"},
)


class Access:
    """Lets callers in, or not.

    Raises:
        SettingsError: the file of keys cannot be read.
    """

    def __init__(self, settings: ServiceSettings, quotas: Quotas) -> None:
        file = KeyFile(Path(settings.keys_file)) if settings.keys_file else None
        self._ring = KeyRing(settings.api_keys, file) if settings.asks_for_keys else None
        self._quotas = quotas
        self._wrong = WrongKeys()

    @property
    def is_open(self) -> bool:
        """Whether no key is asked for."""
        return self._ring is None

    async def admit(self, given: Sequence[str], address: str, scopes: Sequence[KeyScope]) -> ApiKey:
        """The key of a caller who may go on; a request of it is counted. After wrong keys the refusal takes longer each time.

        Args:
            given: what may be its key; the first that is one counts.
            address: where it calls from.
            scopes: one of them is needed; none: any key will do.

        Raises:
            Refused: no key, a wrong one, or one that may not do this.
            Overloaded: too many wrong keys came from the address.
            QuotaExceeded: the key has made as many requests as it may.
        """
        if self._ring is None:
            return ANYONE
        key = next((found for each in given if each and (found := self._ring.find(each)) is not None), None)
        if key is None:
            if any(given):
                await asyncio.sleep(self._wrong.wait_s(address))
            raise Refused(REFUSED)
        if scopes and not set(scopes) & set(key.scopes):
            raise Refused(_forbidden(key, scopes))
        if key.requests_per_minute is not None:
            await self._count(key)
        return key

    async def _count(self, key: ApiKey) -> None:
        if self._quotas.shared is None:
            self._quotas.take_request(key)
        else:
            await run_in_threadpool(self._quotas.take_request, key)

    def still_admits(self, key: ApiKey) -> bool:
        """Whether a key that was let in would be let in now."""
        return self._ring is None or self._ring.holds(key)


def _forbidden(key: ApiKey, scopes: Sequence[KeyScope]) -> Problem:
    needed = " or ".join(scopes)
    return Problem(403, "forbidden", f"Key {key.name} may not do this: it has {', '.join(key.scopes)}; this needs {needed}.")


class Admission:
    """Asks `Access` about each request under `/v1/`, before anything of it is read; routes find the key in the request's state."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if self.access.is_open:
                scope["state"]["caller"] = ANYONE
            elif scope["path"].startswith(PROTECTED):
                given, needed = [key_of(Headers(scope=scope))], scopes_of(scope["method"], scope["path"])
                scope["state"]["caller"] = await self.access.admit(given, address_of(scope), needed)
        await self.app(scope, receive, send)


def key_of(headers: Headers) -> str:
    """The bearer token of a request; empty if there is none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip().encode("latin-1", "replace").decode("utf-8", "replace") if scheme.lower() == "bearer" else ""


def address_of(scope: Scope) -> str:
    """Where a request comes from."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"
