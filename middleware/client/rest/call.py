"""One call of the service, apart from how its bytes travel: what is sent, when it is sent again, and what the answer says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grice.middleware.runtime.backoff import Backoff, retry_after_s
from grice.middleware.runtime.deadline import Deadline
from grice.models.errors import DeadlineExceeded, InputError, MissingExtra, RequestRefused, ServiceError, shorten

OK = 200
NO_CONTENT = 204
DEADLINE, MOST_MS = "x-grice-deadline-ms", 10**15 - 1
"""The header that tells the service how many milliseconds it has, and the most that it takes."""
SEND_AGAIN = (429, 503)
"""Statuses after which the service has done nothing that it would do twice."""
WAITS = Backoff(first_s=0.2, longest_s=10.0, spread=0.5)


@dataclass(frozen=True)
class ServiceCall:
    """What is sent.

    Attributes:
        path: with all names in it.
        body: what JSON can hold; None: no body.
        query: parameters; those that are None are left out.
        repeatable: whether it may be sent again where nobody knows if it arrived.
    """

    method: str
    path: str
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    repeatable: bool = True

    def request(self) -> dict[str, Any]:
        """What httpx is told."""
        given = {name: value for name, value in self.query.items() if value is not None}
        headers = {} if self.body is None else {"content-type": "application/json"}
        content = None if self.body is None else json.dumps(self.body).encode()
        return {"method": self.method, "url": self.path, "params": given, "headers": headers, "content": content}


@dataclass(frozen=True)
class ServiceAnswer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_good(self) -> bool:
        """Whether it is no problem."""
        return 200 <= self.status < 300

    def text(self) -> str:
        """The body of a good answer as text."""
        return self.body.decode("utf-8", "replace")

    def read(self, call: ServiceCall) -> dict[str, Any]:
        """The object of a good answer; empty where there is none to tell.

        Raises:
            ServiceError: it is something else than the service says.
        """
        if self.status == NO_CONTENT:
            return {}
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ServiceError(f"{call.path} answered {shorten(self.body)}, not a JSON object; is the url that of Grice?")
        return found

    def problem(self, call: ServiceCall) -> RequestRefused:
        """The error that it tells."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            found = None
        details = found if isinstance(found, dict) else {}
        detail = str(details.get("detail", "no details"))
        return RequestRefused(f"{call.path} answered {self.status}: {detail[:300]}", self.status, details)


@dataclass(frozen=True)
class Patience:
    """How long a call may take.

    Attributes:
        deadline_s: in all, with all waits, in seconds.
        retries: how often it may be sent again.
    """

    deadline_s: float = 10.0
    retries: int = 3

    def __post_init__(self) -> None:
        if isinstance(self.deadline_s, bool) or not isinstance(self.deadline_s, (int, float)) or not self.deadline_s > 0:
            raise InputError("deadline_s", self.deadline_s, "a number of seconds above 0")
        if type(self.retries) is not int or self.retries < 0:
            raise InputError("retries", self.retries, "a whole number, 0 or more")


class Tries:
    """The tries of one call, within one deadline.

    Args:
        late: the exceptions that mean that there was no answer in time.
    """

    def __init__(self, call: ServiceCall, patience: Patience) -> None:
        self._call = call
        self._patience = patience
        self._failures = 0
        self.deadline = Deadline(patience.deadline_s)

    def request(self) -> dict[str, Any]:
        """What httpx is told of the next try: the call, and for how long the service may work on it."""
        found, left_ms = self._call.request(), min(1000 * self.deadline.left_s, MOST_MS)
        return {**found, "headers": {**found["headers"], DEADLINE: str(max(1, int(left_ms)))}}

    def timeout_s(self) -> float:
        """How long the next try may take.

        Raises:
            DeadlineExceeded: there is no time left.
        """
        if self.deadline.is_over:
            raise self.late()
        return self.deadline.left_s

    def late(self) -> DeadlineExceeded:
        """The error that says that there is no time left."""
        return DeadlineExceeded(f"{self._call.method} {self._call.path} was not answered within {self._patience.deadline_s:g} s")

    def wait_after(self, answer: ServiceAnswer) -> float | None:
        """Seconds to wait before it is sent again; None: the answer counts."""
        if answer.is_good or answer.status not in SEND_AGAIN:
            return None
        return self._wait(retry_after_s(answer.headers.get("retry-after", "")))

    def wait_after_error(self, arrived: bool) -> float | None:
        """As `wait_after`, where there is no answer.

        Args:
            arrived: whether the service may have got the call.
        """
        return self._wait(0.0) if self._call.repeatable or not arrived else None

    def _wait(self, asked_s: float) -> float | None:
        self._failures += 1
        wait_s = max(asked_s, WAITS.wait_s(self._failures))
        return wait_s if self._failures <= self._patience.retries and self.deadline.allows(wait_s) else None


def load_httpx() -> Any:
    """The package that sends.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import httpx
    except ImportError:
        raise MissingExtra("httpx", "client") from None
    return httpx


def headers_of(api_key: str) -> dict[str, str]:
    """The headers of every call."""
    return {"accept": "application/json", "user-agent": "grice", **({"authorization": f"Bearer {api_key}"} if api_key else {})}
