"""What Prometheus reads at /metrics."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from grice.middleware.runtime.shared_call import SharedCall
from grice.middleware.serving.connections import CAUSES
from grice.middleware.turns.analysis import StageFailure, TurnAnalysis

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)


class Metrics:
    """The counters of one application, in a registry of its own. Labels hold no text and no name that a caller chose."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = self._counter("grice_requests", "Requests answered.", "method", "route", "status")
        self._latency = Histogram(
            "grice_request_seconds",
            "Seconds from the first byte of a request to the last of its answer.",
            ("route", "status"),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._batches = Histogram(
            "grice_batch_size", "Items in one call of a model.", ("model",), buckets=SIZES, registry=self.registry
        )
        self._depth = Gauge("grice_queue_depth", "Items that wait for a model.", ("model",), registry=self.registry)
        self._rejected = self._counter(
            "grice_rejections", "Items refused: the queue was full, or the wait too long; a call refused unread is one.", "model"
        )
        self._decisions = self._counter("grice_decisions", "User turns by what was decided, and why.", "decision", "reason")
        self._failures = self._counter("grice_stage_failures", "Stages that failed.", "stage", "error")
        self._events = self._counter("grice_events", "Events taken; kept=no: its turn was there already.", "speaker", "kept")
        self._live = Gauge("grice_live_clients", "Callers of /v1/live now.", registry=self.registry)
        self._cut = self._counter("grice_history_turns_cut", "Turns of history that did not fit into the model.")
        self._age = Gauge(
            "grice_queue_age_seconds", "For how long the oldest item waits for a model.", ("model",), registry=self.registry
        )
        self._connections = Gauge("grice_connections", "Connections now.", registry=self.registry)
        self._ended = self._counter("grice_connections_ended", "Connections ended, or not taken, by cause.", "cause")
        for cause in CAUSES:
            self._ended.labels(cause)
        self._text = SharedCall(lambda: generate_latest(self.registry), "grice-metrics")

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self.registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._latency.labels(route, str(status)).observe(seconds)

    def queue(self, model: str, depth: Callable[[], int], age_s: Callable[[], float]) -> None:
        """From now on read the depth of a queue, and the age of its oldest item in seconds."""
        self._depth.labels(model).set_function(depth)
        self._age.labels(model).set_function(age_s)

    def connections(self, count: Callable[[], int]) -> None:
        """From now on read how many connections there are."""
        self._connections.set_function(count)

    def connection_ended(self, cause: str) -> None:
        """The service ended a connection, or did not take it."""
        self._ended.labels(cause).inc()

    def live(self, clients: Callable[[], int]) -> None:
        """From now on read how many callers watch."""
        self._live.set_function(clients)

    def batch(self, model: str, size: int) -> None:
        """A batch left for a model."""
        self._batches.labels(model).observe(size)

    def rejection(self, model: str, items: int) -> None:
        """Items were refused: a queue was full, or the wait too long."""
        self._rejected.labels(model).inc(items)

    def turn(self, analysis: TurnAnalysis) -> None:
        """A user turn was analysed; its failures are told by `failure`."""
        self._decisions.labels(analysis.decision, analysis.reason).inc()

    def failure(self, failure: StageFailure) -> None:
        """A stage failed."""
        self._failures.labels(failure.stage, failure.error).inc()

    def event(self, speaker: str, kept: bool) -> None:
        """An event was taken."""
        self._events.labels(speaker, "yes" if kept else "no").inc()

    def history_cut(self, turns: int) -> None:
        """A model left out that many turns."""
        self._cut.inc(turns)

    async def text(self) -> bytes:
        """All of it in Prometheus's format, made in a thread of its own."""
        return await self._text.result()

    def close(self) -> None:
        """Tell no more."""
        self._text.close()
