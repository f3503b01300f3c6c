"""What a key must be allowed to do for which request."""

from __future__ import annotations

from collections.abc import Mapping

from grice.middleware.access import Scope
from grice.middleware.capabilities import CAPABILITIES

PROTECTED = "/v1/"
"""Where keys are asked for."""

Needed = tuple[Scope, ...]
"""One of these; none of them: any key will do."""

_READ: Mapping[str, Needed] = {"GET": ("read",), "PUT": ("admin",), "DELETE": ("admin",)}
_OF_RESOURCE: Mapping[str, Mapping[str, Needed]] = {
    **{
        capability.path.removeprefix(PROTECTED): {"POST": ("monitor" if capability.tag == "monitor" else "turns",)}
        for capability in CAPABILITIES
    },
    "events": {"POST": ("turns", "monitor")},
    "dialogues": _READ,
    "schemas": {**_READ, "POST": ("read", "turns")},
    "rates": {"GET": ("monitor",)},
    "alarms": {"GET": ("monitor",), "POST": ("monitor",)},
    "alerts": {"GET": ("monitor",)},
    "live": {"GET": ("monitor",)},
    "behaviors": {"GET": ()},
    "models": {"GET": ()},
}


def scopes_of(method: str, path: str) -> Needed:
    """What a request under `/v1/` needs; what is not in the table, `admin`: a route that was forgotten here is not open to all."""
    resource, _, _ = path.removeprefix(PROTECTED).partition("/")
    return _OF_RESOURCE.get(resource, {}).get(method, ("admin",))
