"""Access: keys, the tenants that they belong to, what each key may do and how much of it."""

from grice.middleware.access.api_key import ANYONE, SCOPES, SHORTEST_KEY, ApiKey, Scope, digest_of, make_secret
from grice.middleware.access.key_file import KeyFile
from grice.middleware.access.key_ring import KeyRing
from grice.middleware.access.tenant import DEFAULT_TENANT, check_tenant, owned

__all__ = [
    "ANYONE",
    "DEFAULT_TENANT",
    "SCOPES",
    "SHORTEST_KEY",
    "ApiKey",
    "KeyFile",
    "KeyRing",
    "Scope",
    "check_tenant",
    "digest_of",
    "make_secret",
    "owned",
]
