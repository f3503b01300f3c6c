"""A key: what it is called, whose it is, what it may do and how much of it."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import Literal, get_args

from grice.middleware.access.tenant import DEFAULT_TENANT, check_tenant
from grice.models.errors import InputError

Scope = Literal["turns", "monitor", "read", "admin"]
"""What a key may do: have turns read (`turns`), have responses scored and see what was found (`monitor`), read what is kept
(`read`), change and delete it (`admin`)."""

SCOPES: tuple[Scope, ...] = get_args(Scope)
SHORTEST_KEY = 16
"""Characters that a key has at least."""
PREFIX = "grice_"
"""How a key that we made begins, so that whoever finds one knows what it opens."""
MOST_PER_MINUTE = 2**53

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ApiKey:
    """A key without its secret.

    Attributes:
        name: what people call it.
        digest: the SHA-256 of the secret. One that we made has 256 bits of chance, so nobody finds it from that.
        tenant: whose data it opens.
        scopes: what it may do there.
        requests_per_minute: how many requests; None: without limit.
        work_per_minute: how much work, as the queues count it; None: without limit.
        created: when it was made, in Unix seconds.

    Raises:
        InputError: a value is not usable.
    """

    name: str
    digest: str = field(default="0" * 64, repr=False)
    tenant: str = DEFAULT_TENANT
    scopes: tuple[Scope, ...] = SCOPES
    requests_per_minute: int | None = None
    work_per_minute: int | None = None
    created: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise InputError("name", self.name, "1 to 100 of a-z, A-Z, 0-9, '.', '_' and '-', the first a letter or digit")
        if not isinstance(self.digest, str) or not _DIGEST.fullmatch(self.digest):
            raise InputError(f"sha256 of key {self.name}", "something else", "64 hexadecimal digits")
        check_tenant(self.tenant)
        if not self.scopes or not all(each in SCOPES for each in self.scopes):
            raise InputError(f"scopes of key {self.name}", list(self.scopes), f"at least one of {', '.join(SCOPES)}")
        for what in ("requests_per_minute", "work_per_minute"):
            most = getattr(self, what)
            if most is not None and (type(most) is not int or not 1 <= most <= MOST_PER_MINUTE):
                raise InputError(f"{what} of key {self.name}", most, "a whole number of 1 or more, or nothing")
        if isinstance(self.created, bool) or not isinstance(self.created, (int, float)):
            raise InputError(f"created of key {self.name}", self.created, "Unix seconds")


ANYONE = ApiKey("anyone")
"""Who calls a service that asks for no keys."""


def make_secret() -> str:
    """A new key of 256 bits."""
    return PREFIX + secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
