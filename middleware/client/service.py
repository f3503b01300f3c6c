"""Calls of the REST service: a deadline for each, and a circuit breaker."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Collection, Mapping, Sequence

from grice.middleware.client.breaker import PROBE_EVERY_S, CircuitBreaker
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.runtime.deadline import TimedWorkers
from grice.middleware.schemas.stores import check_schema_id
from grice.models.errors import DeadlineExceeded, GriceError, InputError, ServiceError, shorten
from grice.models.schema import BotSchema

SCHEMA_VERSION = 1
MAX_ITEMS = 64
PROBE_DEADLINE_MS = 1000
OK, NO_CONTENT, NOT_FOUND = 200, 204, 404
NOT_IMPLEMENTED = 501
"""The service works, and was started without what is asked for: no reason to keep from asking it for other things."""
WORKERS = 4
CUT_WITHIN_S = 1.0
"""A worker that is still connecting cannot be cut; it gives up by itself so long after the deadline."""


class RemoteService:
    """The REST service as its callers see it. Making one does not connect.

    Raises:
        MissingExtra: urllib3 is not installed.
    """

    def __init__(self, settings: RemoteSettings, probe_every_s: float = PROBE_EVERY_S) -> None:
        from grice.middleware.client.connections import Connections

        headers = {"content-type": "application/json", "accept": "application/json", "user-agent": "grice"}
        if settings.api_key:
            headers["authorization"] = f"Bearer {settings.api_key}"
        self.settings = settings
        self.breaker = CircuitBreaker(f"the service at {settings.url}", self._answers, probe_every_s)
        self._connections = Connections(settings.url, headers, WORKERS)
        self._workers = TimedWorkers(WORKERS, "grice-remote")

    def ask(self, path: str, items: Sequence[Mapping[str, object]]) -> list[object]:
        """What the service answers on each item, in order. All of it takes no longer than the deadline.

        Args:
            items: what JSON can hold.

        Raises:
            CircuitOpen: the service failed before and has not answered since.
            DeadlineExceeded: it did not answer in time.
            ServiceError: it cannot be reached, refused, or answered something else than its contract.
        """
        end = self._end()
        rows: list[object] = []
        for first in range(0, len(items), MAX_ITEMS):
            part = items[first : first + MAX_ITEMS]
            body = json.dumps({"items": part}).encode()
            _, data = self._answer("POST", path, body, end)
            rows += _rows(data, len(part))
        return rows

    def put_schema(self, schema_id: str, schema: BotSchema) -> str:
        """Store what a bot can understand, in place of what has that name; its fingerprint.

        Raises:
            InputError: the name cannot be used.
            CircuitOpen, DeadlineExceeded, ServiceError: as `ask`; ServiceError too where as many are stored as may be.
        """
        _, data = self._answer("PUT", _schema_path(schema_id), json.dumps(schema.as_dict()).encode(), self._end())
        fingerprint = _versioned(data).get("fingerprint")
        if not isinstance(fingerprint, str):
            raise ServiceError(f"the service answered the fingerprint {shorten(fingerprint)}")
        return fingerprint

    def get_schema(self, schema_id: str) -> BotSchema | None:
        """What is stored under a name; None: nothing is.

        Raises:
            InputError: the name cannot be used.
            CircuitOpen, DeadlineExceeded, ServiceError: as `ask`.
        """
        status, data = self._answer("GET", _schema_path(schema_id), None, self._end(), (OK, NOT_FOUND))
        if status == NOT_FOUND:
            return None
        try:
            return BotSchema.of(_json(data))
        except InputError as error:
            raise ServiceError(f"the service answered something else than a schema: {error}") from error

    def delete_schema(self, schema_id: str) -> bool:
        """Forget what is stored under a name; whether something was.

        Raises:
            InputError: the name cannot be used.
            CircuitOpen, DeadlineExceeded, ServiceError: as `ask`.
        """
        status, _ = self._answer("DELETE", _schema_path(schema_id), None, self._end(), (NO_CONTENT, NOT_FOUND))
        return status == NO_CONTENT

    def _end(self) -> float:
        return time.monotonic() + self.settings.deadline_ms / 1000

    def _answer(
        self, method: str, path: str, body: bytes | None, end: float, expected: Collection[int] = (OK,)
    ) -> tuple[int, bytes]:
        """Status, one of those expected, and body of the answer."""
        self.breaker.check()
        try:
            status, data = self._exchanged(method, path, body, (end - time.monotonic()) * 1000)
            if status >= 500 and status != NOT_IMPLEMENTED:
                raise ServiceError(_refused(path, status, data))
        except (DeadlineExceeded, ServiceError) as error:
            self.breaker.failed(str(error))
            raise
        self.breaker.succeeded()
        if status not in expected:
            raise ServiceError(_refused(path, status, data))
        return status, data

    def _exchanged(self, method: str, path: str, body: bytes | None, deadline_ms: float) -> tuple[int, bytes]:
        exchange = self._connections.begin()
        longest_s = max(deadline_ms, 0) / 1000 + CUT_WITHIN_S
        send = functools.partial(self._connections.request, exchange, method, path, body, longest_s)
        try:
            return self._workers.within(deadline_ms, f"{method} {self.settings.url}{path}", send)
        except DeadlineExceeded:
            exchange.cut()
            raise

    def _answers(self) -> bool:
        try:
            return self._exchanged("GET", "/health/live", None, PROBE_DEADLINE_MS)[0] == 200
        except (GriceError, RuntimeError):  # the latter when the interpreter ends and takes no new work
            return False


@functools.lru_cache(maxsize=16)
def remote_service(settings: RemoteSettings) -> RemoteService:
    """The service of these settings: one a process, so that its callers share connections and circuit breaker."""
    return RemoteService(settings)


def _schema_path(schema_id: str) -> str:
    return f"/v1/schemas/{check_schema_id(schema_id)}"


def _json(data: bytes) -> object:
    try:
        answer: object = json.loads(data)
    except (ValueError, RecursionError):
        raise ServiceError(f"the service answered no JSON but {shorten(data)}; is the url that of Grice?") from None
    return answer


def _versioned(data: bytes) -> Mapping[str, object]:
    answer = _json(data)
    version = answer.get("schema_version") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or version != SCHEMA_VERSION:
        raise ServiceError(f"the service answered schema_version {shorten(version)}; this client reads {SCHEMA_VERSION}")
    return answer


def _rows(data: bytes, count: int) -> list[object]:
    items = _versioned(data).get("items")
    if not isinstance(items, list) or len(items) != count:
        raise ServiceError(f"the service answered {shorten(items)} on {count} items")
    return items


def _refused(path: str, status: int, data: bytes) -> str:
    """What the service said; of a problem (RFC 9457) its detail."""
    try:
        detail = str(json.loads(data)["detail"])
    except (ValueError, RecursionError, LookupError, TypeError):
        detail = "no details"
    return f"{path} answered {status}: {detail[:200]}"
