"""Sends the scores of each response to the sinks that the settings name; never in the way of the caller."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.runtime.outbox import Attempt, Outbox, OutboxLimits, OutboxOutcome, attempt_of
from grice.middleware.settings.sinks import SinkSettings
from grice.middleware.sinks.langfuse import Langfuse
from grice.middleware.sinks.mlflow import MLflow
from grice.middleware.sinks.phoenix import Phoenix
from grice.middleware.sinks.receiver import Receiver
from grice.middleware.sinks.score import Score, scores_of
from grice.middleware.sinks.target import SinkTarget
from grice.models.errors import MissingExtra

RECEIVERS: Mapping[str, Callable[[SinkTarget], Receiver]] = {"langfuse": Langfuse, "phoenix": Phoenix, "mlflow": MLflow}
LONGEST_ANSWER = 65_536
log = logging.getLogger(__name__)

CountScores = Callable[[str, str, int], None]
"""Told of a sink's kind, an outcome, and of how many scores."""


@dataclass(frozen=True)
class Posted:
    """What came back of a post."""

    attempt: Attempt
    body: Any = None


class Sink:
    """One receiver, with its queue and its thread. What fails is logged, without URL and scores, and counted.

    Args:
        target: where it is.
        settings: sizes and times.
        count: told of `delivered`, `retried`, `given_up`, `dropped`, and of `unplaced`: the receiver has no place for the score.

    Raises:
        MissingExtra: httpx is not installed. SettingsError: the URL says too little, or too much.
    """

    def __init__(self, target: SinkTarget, settings: SinkSettings, count: CountScores) -> None:
        try:
            import httpx
        except ImportError as error:
            raise MissingExtra("httpx", "server") from error
        self.kind = target.kind
        self._receiver = RECEIVERS[target.kind](target)
        self._count = count
        self._url = target.url
        headers = {"content-type": "application/json", "user-agent": "grice", **self._receiver.headers}
        self._client = httpx.Client(timeout=settings.sink_timeout_s, follow_redirects=False, headers=headers)
        self._lost = httpx.TransportError
        limits = OutboxLimits(
            settings.sink_queue,
            min(settings.sink_batch, self._receiver.most),
            settings.sink_tries,
            settings.sink_retry_s,
            join_s=settings.sink_timeout_s,
        )
        self._outbox = Outbox[Score](f"grice-{target.kind}", self._send, limits, self._tell)

    def start(self) -> None:
        """Begin to send."""
        self._outbox.start()

    def put(self, scores: Sequence[Score]) -> None:
        """Take scores; returns at once."""
        placed = [score for score in scores if self._receiver.places(score)]
        if len(placed) < len(scores):
            self._count(self.kind, "unplaced", len(scores) - len(placed))
        if placed:
            self._outbox.put(placed)

    def close(self) -> None:
        """Send what waits, for a few seconds at most."""
        self._outbox.close()
        self._client.close()

    def _send(self, scores: Sequence[Score]) -> Attempt:
        try:
            return self._receiver.send(scores, self._post)
        except Exception as error:  # noqa: BLE001 - the thread goes on; a receiver's answer may be anything
            return Attempt(type(error).__name__)

    def _post(self, path: str, content: Any) -> Posted:
        body = json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
        try:
            answer = self._client.post(f"{self._url}{path}", content=body)
        except self._lost as error:
            return Posted(Attempt(type(error).__name__, 0.0))
        found = attempt_of(answer.status_code, answer.headers.get("retry-after", ""))
        try:
            return Posted(found, json.loads(answer.content) if len(answer.content) <= LONGEST_ANSWER else None)
        except ValueError:
            return Posted(found)

    def _tell(self, outcome: OutboxOutcome, scores: Sequence[Score], why: str) -> None:
        self._count(self.kind, outcome, len(scores))
        if outcome in ("given_up", "dropped"):
            log.error("%d scores did not reach %s: %s", len(scores), self.kind, why)


class Sinks:
    """All of them; each gets every score, and none waits for another."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = tuple(sinks)

    def start(self) -> None:
        """Begin to send."""
        for sink in self._sinks:
            sink.start()

    def put(self, response: ScoredResponse) -> None:
        """Take the scores of a response; returns at once."""
        if self._sinks:
            scores = scores_of(response)
            for sink in self._sinks:
                sink.put(scores)

    def close(self) -> None:
        """Send what waits, all side by side, for a few seconds at most; what is left is counted as dropped."""
        closers = [threading.Thread(target=sink.close, name=f"grice-{sink.kind}-end") for sink in self._sinks]
        for each in closers:
            each.start()
        for each in closers:
            each.join()


def open_sinks(settings: SinkSettings, count: CountScores | None = None) -> Sinks:
    """The sinks that the settings name. Does not connect yet; `start` begins to send.

    Args:
        count: `MonitorMetrics.sink`; None: nothing is counted.

    Raises:
        SettingsError: a URL cannot be read. MissingExtra: httpx is not installed.
    """
    targets = [SinkTarget.of(text, tuple(RECEIVERS)) for text in settings.score_sinks]
    return Sinks([Sink(target, settings, count or _uncounted) for target in targets])


def _uncounted(kind: str, outcome: str, scores: int) -> None:
    """Nobody counts."""
