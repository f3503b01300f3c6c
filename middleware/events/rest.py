"""Events to the REST service, `POST /v1/events`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grice.middleware.events.event import DialogueEvent
from grice.models.errors import DeliveryError, EventsRefused, MissingExtra

try:
    import urllib3
except ImportError as error:
    raise MissingExtra("urllib3", "rasa") from error

MAX_BATCH_BYTES = 500_000
"""Half of what the service takes in one body by default."""
_NEVER = (400, 413, 415, 422)
"""Statuses that say that the events themselves are at fault."""


class RestPublisher:
    """An `EventPublisher` that posts batches. Making one does not connect.

    Args:
        url: where the service listens.
        api_key: what it asks for; empty: nothing.
        timeout_s: how long connecting, and one answer, may take.
    """

    def __init__(self, url: str, api_key: str = "", timeout_s: float = 2.0) -> None:
        self.url = f"{url.rstrip('/')}/v1/events"
        self._headers = {"content-type": "application/json", **({"authorization": f"Bearer {api_key}"} if api_key else {})}
        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(connect=timeout_s, read=timeout_s), maxsize=1)

    def publish(self, events: Sequence[DialogueEvent]) -> None:
        for batch in _batches([event.to_json() for event in events]):
            self._post(batch)

    def _post(self, lines: Sequence[str]) -> None:
        body = f'{{"items":[{",".join(lines)}]}}'.encode()
        try:
            status = self._pool.request("POST", self.url, body=body, headers=self._headers, redirect=False).status
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise DeliveryError(f"POST {self.url} failed: {type(error).__name__}; is the service running and reachable?") from error
        if status in _NEVER:
            raise EventsRefused(f"POST {self.url} answered {status} on {len(lines)} events")
        if status != 200:
            raise DeliveryError(f"POST {self.url} answered {status}{_HINTS.get(status, '')}")

    def close(self) -> None:
        self._pool.clear()


_HINTS = {
    401: "; is api_key one of its keys?",
    403: "; has the key the scope turns or monitor?",
    404: "; is url that of Grice's REST service?",
    421: "; is the host of url among its allowed_hosts?",
}


def _batches(lines: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for line in lines:
        length = len(line.encode())
        if batch and size + length > MAX_BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += length + 1
    yield batch
