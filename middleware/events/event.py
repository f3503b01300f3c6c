"""What was said, as it travels from a bot to the service and its behaviour monitor."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from grice.middleware.access import DEFAULT_TENANT, check_tenant, owned
from grice.middleware.stores.dialogue_id import check_dialogue_id
from grice.models.dialogue import Speaker, Turn
from grice.models.errors import InputError, shorten

SCHEMA_VERSION = 1
MAX_EVENT_BYTES = 262_144
"""Largest event as JSON in UTF-8: a text of full length, its rewrite, and what was found, with room to spare."""
MAX_NAME = 200
"""Longest name of an event, a channel, a version or an action, in characters."""
END_OF_TIME = 1e11
"""Unix seconds in the year 5138: what is larger was given in milliseconds."""

KNOWN = "known"
"""Under `grice` in an event's metadata: what the bot knew when it responded, an object with `documents` and `policy` (texts),
`facts` (rows: fields to texts, numbers, true, false or null), and `setting`, each of which may be left out."""


@dataclass(frozen=True)
class DialogueEvent:
    """One turn of a dialogue that took place.

    Attributes:
        event_id: stable and unique within its dialogue: a receiver takes each one once, however often it is sent.
        dialogue_id: see `grice.middleware.stores.dialogue_id`.
        speaker: `user` or `bot`.
        text: what was said.
        timestamp: when, in Unix seconds.
        channel: the way it came, such as `rest`.
        bot_version: which version of the bot took part.
        action: what made the bot say it, such as `utter_greet`.
        metadata: a JSON object; `grice` in it holds the analysis of a user turn or what was found of a bot's response, and under
            `known` what the bot knew then (see `KNOWN`).
        schema_version: version of this shape.
        tenant: whose it is; the service says so, not the caller.

    Whoever takes one from outside makes it with `of`, which also sees to it that it can travel.

    Raises:
        InputError: a value is not usable. Whether JSON has the values in `metadata` shows in `to_json`.
    """

    event_id: str
    dialogue_id: str
    speaker: Speaker
    text: str
    timestamp: float
    channel: str | None = None
    bot_version: str | None = None
    action: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION
    tenant: str = DEFAULT_TENANT

    def __post_init__(self) -> None:
        if type(self.schema_version) is not int or self.schema_version != SCHEMA_VERSION:
            raise InputError("schema_version", self.schema_version, str(SCHEMA_VERSION))
        _check_name("event_id", self.event_id)
        check_dialogue_id(self.dialogue_id)
        check_tenant(self.tenant)
        _ = self.turn
        _check_timestamp(self.timestamp)
        for name in ("channel", "bot_version", "action"):
            if getattr(self, name) is not None:
                _check_name(name, getattr(self, name))
        if not isinstance(self.metadata, Mapping):
            raise InputError("metadata", self.metadata, "a JSON object")

    @classmethod
    def of(cls, **values: Any) -> DialogueEvent:
        """The event with these values, which come from outside.

        Raises:
            InputError: one is not usable, or the event cannot travel (`to_json`).
        """
        event = cls(**values)
        event.to_json()
        return event

    @cached_property
    def turn(self) -> Turn:
        """What was said, as models read it."""
        return Turn(self.speaker, self.text)

    @property
    def kept_as(self) -> str:
        """The name of its dialogue among those of all tenants."""
        return owned(self.tenant, self.dialogue_id)

    def to_json(self) -> str:
        """One line of JSON; it is made once. The default tenant is not named, so that it reads as it always did.

        Raises:
            InputError: JSON does not have the values in `metadata`, or the line is larger than `MAX_EVENT_BYTES` in UTF-8.
        """
        return self._line

    @cached_property
    def _line(self) -> str:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.tenant == DEFAULT_TENANT:
            del values["tenant"]
        try:
            line = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            size = len(line.encode())
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError("metadata", self.metadata, f"values that JSON has, in valid Unicode ({error})") from error
        if size > MAX_EVENT_BYTES:
            raise InputError("event", f"{size} bytes of JSON", f"at most {MAX_EVENT_BYTES}; leave out some of its metadata")
        return line

    @classmethod
    def from_json(cls, line: str | bytes) -> DialogueEvent:
        """The event that `to_json` wrote.

        Raises:
            InputError: not JSON, an unknown or missing field, an unusable value, another schema version, or too large.
        """
        if len(line) > MAX_EVENT_BYTES:
            raise InputError("event", f"{len(line)} bytes of JSON", f"at most {MAX_EVENT_BYTES}")
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError("event", line, f"a JSON object ({error})") from error
        if not isinstance(values, dict):
            raise InputError("event", values, "a JSON object")
        known = [each.name for each in fields(cls)]
        if "schema_version" in values and values["schema_version"] != SCHEMA_VERSION:
            raise InputError("schema_version", values["schema_version"], str(SCHEMA_VERSION))
        unknown = [name for name in values if name not in known]
        if unknown:
            raise InputError("event", f"unknown field {shorten(unknown[0])}", ", ".join(known))
        missing = [name for name in _REQUIRED if name not in values]
        if missing:
            raise InputError("event", f"no {', '.join(missing)}", f"an object with {', '.join(_REQUIRED)}")
        return cls.of(**values)


_REQUIRED = ("event_id", "dialogue_id", "speaker", "text", "timestamp")


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME or not name.isprintable() or name.isspace():
        raise InputError(what, name, f"1 to {MAX_NAME} printable characters")


def _check_timestamp(timestamp: object) -> None:
    if isinstance(timestamp, bool) or not isinstance(timestamp, (int, float)) or not 0 <= timestamp < END_OF_TIME:
        raise InputError("timestamp", timestamp, f"Unix seconds, 0 to {END_OF_TIME:.0f} (not milliseconds)")
