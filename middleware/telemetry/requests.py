"""What FastAPI tells OpenTelemetry of requests by itself: newer versions do, as soon as a provider is set."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

NAMING = ("/v1/dialogues/",)
"""Paths that go on with the name of a dialogue, which may be that of a person."""


def _names_somebody(scope: MutableMapping[str, Any]) -> bool:
    return str(scope.get("path", "")).startswith(NAMING)


SPANS_ONLY: Any = {"logs": False, "metrics": False, "auto_configure": False, "exclude": _names_somebody}
"""For `FastAPI(telemetry=…)`, which older versions take and ignore: spans of requests, so that those of the stages hang together
and belong to the caller's trace. No logs, since they quote messages of errors, and those quote turns."""
