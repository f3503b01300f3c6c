"""What Prometheus reads at /metrics."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

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
        self._rejected = self._counter("grice_rejections", "Items refused because the queue was full.", "model")
        self._decisions = self._counter("grice_decisions", "User turns by what was decided, and why.", "decision", "reason")
        self._failures = self._counter("grice_stage_failures", "Stages that failed.", "stage", "error")
        self._events = self._counter("grice_events", "Events taken; kept=no: its turn was there already.", "speaker", "kept")
        self._live = Gauge("grice_live_clients", "Callers of /v1/live now.", registry=self.registry)
        self._cut = self._counter("grice_history_turns_cut", "Turns of history that did not fit into the model.")

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self.registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._latency.labels(route, str(status)).observe(seconds)

    def queue(self, model: str, depth: Callable[[], int]) -> None:
        """From now on read the depth of a queue."""
        self._depth.labels(model).set_function(depth)

    def live(self, clients: Callable[[], int]) -> None:
        """From now on read how many callers watch."""
        self._live.set_function(clients)

    def batch(self, model: str, size: int) -> None:
        """A batch left for a model."""
        self._batches.labels(model).observe(size)

    def rejection(self, model: str, items: int) -> None:
        """Items were refused because a queue was full."""
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
