"""The server behind the proxy. Headers and bodies go through as they are, both ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import httpx
from starlette.requests import Request

from grice.middleware.gateways.proxy.settings import ProxySettings

_ONE_CONNECTION = {
    *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer"),
    *(b"transfer-encoding", b"upgrade"),
}
"""Headers about one connection, which another does not know (RFC 9110, 7.6.1)."""
_OURS = {b"host", b"content-length", b"accept-encoding", b"x-grice-key", b"x-grice-session", b"expect"}
AZURE_KEY = "api-key"
"""The header in which Azure takes a key; its clients send theirs there."""
CONNECT_S = 30.0
"""How long a connection to the server may take. That counts the time in which this process waits for a processor, so it is long:
with 200 calls at once on a machine that was busy, 10 seconds were too few for connections on loopback."""

Headers = Sequence[tuple[bytes, bytes]]


class Upstream:
    """Sends requests to the server of the settings."""

    def __init__(self, settings: ProxySettings) -> None:
        self._base = settings.upstream.rstrip("/")
        self._key = settings.upstream_key
        self._http = httpx.AsyncClient(
            timeout=httpx.Timeout(settings.upstream_timeout_s, connect=min(CONNECT_S, settings.upstream_timeout_s)),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=256),
            follow_redirects=False,
        )
        self._http.headers.clear()

    async def send(self, request: Request, body: bytes) -> httpx.Response:
        """The answer, whose body is yet to be read and which is to be closed.

        Raises:
            httpx.HTTPError: there is none.
        """
        sent = self._http.build_request(
            request.method, self._url(request), headers=self._headers(request.headers.raw), content=body or None
        )
        return await self._http.send(sent, stream=True)

    async def close(self) -> None:
        """Give connections back."""
        await self._http.aclose()

    def _url(self, request: Request) -> str:
        path = request.scope["raw_path"].decode("latin-1").partition("?")[0]
        if self._base.endswith("/v1") and path.startswith("/v1/"):
            path = path.removeprefix("/v1")
        query = request.scope["query_string"].decode("latin-1")
        return f"{self._base}{path}{'?' if query else ''}{query}"

    def _headers(self, given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        sent = list(given)
        own = {*_OURS, *((b"authorization", AZURE_KEY.encode()) if self._key else ())}
        kept = [(name, value) for name, value in sent if name.lower() not in _ONE_CONNECTION | own]
        return [*kept, *self._own_key(sent), (b"accept-encoding", b"identity")]  # a reply is read on its way

    def _own_key(self, given: Headers) -> Headers:
        """The key of the settings, in the header in which the caller's came."""
        if not self._key:
            return []
        if any(name.lower() == AZURE_KEY.encode() for name, _ in given):
            return [(AZURE_KEY.encode(), self._key.encode())]
        return [(b"authorization", f"Bearer {self._key}".encode())]


def answer_headers(response: httpx.Response, more: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer for the caller."""
    kept = [(name.lower(), value) for name, value in response.headers.raw if name.lower() not in _ONE_CONNECTION]
    return [*kept, *((name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in more.items())]
