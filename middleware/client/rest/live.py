"""Server-sent events, read line by line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grice.models.errors import ServiceError, shorten


@dataclass(frozen=True)
class LiveEvent:
    """One event of `/v1/live`.

    Attributes:
        kind: `rates`, `alarm` or `unavailable`.
        data: what it says; of `unavailable` the reason, under `detail`.
        place: of an alarm; whoever gives it as `after` gets what is later.
    """

    kind: str
    data: Mapping[str, Any]
    place: str = ""


class EventReader:
    """Makes events of lines."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def read(self, line: str) -> LiveEvent | None:
        """The event that ends with this line; None: it goes on, or there is none.

        Raises:
            ServiceError: it is none of ours.
        """
        if line:
            name, _, value = line.partition(":")
            if name:
                self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        kind = fields.get("event", "message")
        return LiveEvent(kind, _data(kind, fields["data"]), fields.get("id", ""))


def _data(kind: str, text: str) -> Mapping[str, Any]:
    if kind == "unavailable":
        return {"detail": text}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ServiceError(f"an event {kind} of the service holds {shorten(text)}, not a JSON object")
    return found
