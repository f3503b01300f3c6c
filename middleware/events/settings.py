"""Where events go, and what happens to those that cannot go there now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from grice.middleware.settings import MAX_PARTITIONS, check_settings, secret, setting
from grice.models.errors import SettingsError

Transport = Literal["redis", "http"]

_OF_TRANSPORT: dict[Transport, tuple[str, ...]] = {
    "redis": ("redis_url", "stream", "maxlen", "partitions"),
    "http": ("url", "api_key"),
}


@dataclass(frozen=True)
class DeliverySettings:
    """How events are delivered.

    Attributes:
        transport: `redis` (a stream) or `http` (`POST /v1/events` of the REST service).
        redis_url, stream, maxlen: the stream and about how many entries it holds; the oldest go first, read or not.
        partitions: how many streams it is made of, so that several workers of the monitor share it; as the workers are told.
        url, api_key: the REST service, and the key it asks for.
        queue_size: events that wait in memory; more go to the spool file.
        batch_size: events sent at once, 1 to 64.
        timeout_ms: how long connecting, and one answer, may take.
        retry_ms, max_retry_ms: the wait after a failure; it doubles from the one to the other.
        spool_path: a file of SQLite (`.sqlite3` is put behind another ending) for events that could not be delivered; they are sent
            from there once the receiver is back, also after a restart. It holds texts of turns and is made readable for its owner
            only. Beside it: SQLite's own files, `….sqlite3-turn`, and `….refused` for events that the receiver will never take.
            What an earlier version left in a file `….jsonl` is taken over.
        spool_max_bytes: an event beyond so many bytes of events in the file is lost, which is logged and counted.
        close_ms: how long closing waits for events to be delivered; the rest goes to the spool file.

    Raises:
        SettingsError: a value is out of range.
    """

    transport: Transport
    redis_url: str = secret("redis://127.0.0.1:6379/0")
    stream: str = "grice:events"
    maxlen: int = setting(100_000, 1, 2**40)
    partitions: int = setting(1, 1, MAX_PARTITIONS)
    url: str = "http://127.0.0.1:8300"
    api_key: str = secret("")
    queue_size: int = setting(1000, 1, 2**40)
    batch_size: int = setting(32, 1, 64)
    timeout_ms: int = setting(2000, 1, 600_000)
    retry_ms: int = setting(500, 1, 600_000)
    max_retry_ms: int = setting(5000, 1, 600_000)
    spool_path: str = "grice-events.sqlite3"
    spool_max_bytes: int = setting(268_435_456, 1, 2**40)
    close_ms: int = setting(2000, 1, 600_000)

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.url.startswith(("http://", "https://")):
            raise SettingsError("url", self.url.split("://")[0], "a URL that starts with http:// or https://")
        if not self.api_key.isascii() or not self.api_key.isprintable():
            raise SettingsError("api_key", "a value that is not shown", "printable ASCII")
        for name in ("stream", "spool_path"):
            if not getattr(self, name):
                raise SettingsError(name, "", "a name")
        folder = Path(self.spool_path).parent
        if not folder.is_dir() or Path(self.spool_path).is_dir():
            raise SettingsError("spool_path", self.spool_path, "the path of a file in a folder that is there")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> DeliverySettings:
        """Settings from a configuration file.

        Raises:
            SettingsError: a key is unknown or belongs to the other transport, or a value is out of range.
        """
        known = [each.name for each in fields(cls)]
        transport = values.get("transport")
        if transport not in _OF_TRANSPORT:
            raise SettingsError("transport", transport, ", ".join(_OF_TRANSPORT))
        others = {name for kind, names in _OF_TRANSPORT.items() if kind != transport for name in names}
        for name in values:
            if name not in known:
                raise SettingsError(str(name), "a value", f"no such key; there are: {', '.join(known)}")
            if name in others:
                raise SettingsError(name, "a value", f"only with another transport than {transport}")
        return cls(**values)
