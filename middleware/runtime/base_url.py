"""Where a server is that we ask, and the key it wants, as settings."""

from __future__ import annotations

from urllib.parse import urlsplit

from grice.models.errors import SettingsError


def check_base_url(name: str, url: str) -> None:
    """Refuse a setting that is no base URL; the error does not show it, because it may hold a password.

    Raises:
        SettingsError: it is none.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url:
        raise SettingsError(name, "a value that is not shown", "a base URL such as http://127.0.0.1:8000/v1")


def check_key(name: str, key: str) -> None:
    """Refuse a setting that cannot be sent as a bearer token.

    Raises:
        SettingsError: it cannot.
    """
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(name, "a value that is not shown", "printable ASCII")
