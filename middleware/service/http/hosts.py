"""The names that the service may be reached by.

A page on the Web may have its own name lead to 127.0.0.1, and then reads what answers there as if it were its own. It cannot make
the browser send another name than its own, so whoever asks for a name that is not ours is refused.
"""

from __future__ import annotations

import ipaddress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from grice.middleware.service.http.problems import Problem, Refused, shown
from grice.middleware.settings import ServiceSettings

ANY = "*"
ANYWHERE = ("0.0.0.0", "::", "")
"""Addresses that stand for all of this machine's."""


class Hosts:
    """Refuses requests to a host that is not allowed: neither of loopback, nor what the service listens on, nor in the settings."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self.app = app
        self._names = {each.lower().rstrip(".") for each in (settings.host, *settings.allowed_hosts)}
        self._any_address = settings.host in ANYWHERE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_allowed(host := Headers(scope=scope).get("host", "")):
            raise Refused(_misdirected(host))
        await self.app(scope, receive, send)

    def _is_allowed(self, host: str) -> bool:
        if ANY in self._names:
            return True
        name = name_of(host)
        if name and (name == "localhost" or name in self._names):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        # No name of another's leads here if it is the address itself that was asked for.
        return address.is_loopback or self._any_address


def name_of(host: str) -> str:
    """The name of a `Host` header, without port and brackets; empty if it is none."""
    name, bracket, rest = host.strip().lower().partition("]")
    if bracket:
        return name.removeprefix("[") if name.startswith("[") and (not rest or rest.startswith(":")) else ""
    name, _, port = name.partition(":")
    return "" if port and not port.isdecimal() else name.rstrip(".")


def _misdirected(host: str) -> Problem:
    detail = f"This service does not answer for the host {shown(host) or '(none)'}: add its name to --allowed-hosts."
    return Problem(421, "host-not-allowed", detail)
