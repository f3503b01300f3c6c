"""Where the REST service is, and how long a caller waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from grice.middleware.settings import check_settings, check_within, secret
from grice.models.errors import SettingsError

LONGEST_DEADLINE_MS = 60_000


@dataclass(frozen=True)
class RemoteSettings:
    """How the REST service is called.

    Attributes:
        url: `http://` or `https://`, a host, and maybe a port and a path in front of `/v1/…`.
        api_key: sent as a bearer token; empty: none is sent.
        deadline_ms: how long one call may take in all, in milliseconds, 1 to 60000.

    Raises:
        SettingsError: a value is out of range.
    """

    url: str
    api_key: str = field(default="", repr=False)
    deadline_ms: int = 200

    def __post_init__(self) -> None:
        if not isinstance(self.url, str) or not _is_base_url(self.url):
            raise SettingsError("url", self.url, "the address of the service, for instance http://127.0.0.1:8300")
        if not isinstance(self.api_key, str) or not (self.api_key.isascii() and self.api_key.isprintable()):
            raise SettingsError("api_key", "a value that is not shown", "a string of printable ASCII")
        check_within("deadline_ms", self.deadline_ms, 1, LONGEST_DEADLINE_MS)


@dataclass(frozen=True)
class WatchSettings:
    """Which service `grice watch` asks.

    Attributes:
        service_url: where the service is.
        service_key: the API key that it asks for; empty: none.

    Raises:
        SettingsError: an address or a key cannot be one.
    """

    service_url: str = "http://127.0.0.1:8300"
    service_key: str = secret("", flag=False)

    def __post_init__(self) -> None:
        check_settings(self)
        RemoteSettings(self.service_url, self.service_key)


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    plain = url.isprintable() and " " not in url and not parts.query and not parts.fragment and parts.username is None
    return named and plain and parts.scheme in ("http", "https")
