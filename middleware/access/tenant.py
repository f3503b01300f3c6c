"""Whose data something is."""

from __future__ import annotations

import re

from grice.models.errors import InputError

DEFAULT_TENANT = "default"
"""The tenant of a service without keys, of keys that name no other, and of all that was stored before there were tenants."""

_USABLE = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def check_tenant(name: object) -> str:
    """Return `name` if it is usable as the name of a tenant.

    Raises:
        InputError: it is not.
    """
    if not isinstance(name, str) or not _USABLE.fullmatch(name):
        raise InputError("tenant", name, "1 to 40 of a-z, 0-9, '_' and '-', the first a letter or digit")
    return name


def owned(tenant: str, name: str) -> str:
    """The name under which is kept what a tenant calls `name`.

    No name of a dialogue has a slash, so those of two tenants never meet. Those of the default tenant stay as they are.
    """
    return name if tenant == DEFAULT_TENANT else f"{tenant}/{name}"
