"""What Prometheus reads of the monitor, in the worker and in the service."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.monitor.reports import Judgement
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates.counters import is_scored
from grice.middleware.runtime.bounded_names import OTHER, UNKNOWN, BoundedNames
from grice.models.errors import MissingExtra
from grice.models.relations.labels import SETTINGS
from grice.models.results import BEHAVIORS, Behavior

try:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
except ImportError as error:
    raise MissingExtra("prometheus-client", "server") from error

MAX_NAMES = 40
"""Bot versions with their channels that are told apart; later ones are `other`."""
MAX_LABEL = 40
"""Characters of such a name that are shown; a longer one ends in a hash of the whole."""
SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)

Trimmed = Literal["events", "results", "dead"]

STREAMS: tuple[str, ...] = get_args(Trimmed)
RESULTS = ("shown", "not_shown", "unscored")
CHECKS = ("done", "failed")
DELIVERIES = ("delivered", "retried", "given_up", "dropped")


class MonitorMetrics:
    """The monitor's counters, of all tenants together.

    Labels hold no text, and no name that a caller chose but bot versions and channels: bounded together, and only those of the
    default tenant, since whoever reads metrics needs no key. The others have theirs at `/v1/rates`.

    Args:
        registry: what `/metrics` shows; a service hands over its own.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._names = BoundedNames(MAX_NAMES)
        self._responses = self._counter("grice_responses", "Responses that went through the monitor.", "bot_version", "channel")
        self._behaviors = self._counter(
            "grice_behaviors",
            "Behaviours of responses by result: shown, not_shown, unscored.",
            "behavior",
            "result",
            "bot_version",
            "channel",
        )
        self._alarms = self._counter("grice_alarms", "Responses that raise an alarm under the budget of their setting.", "setting")
        self._frustration = self._counter(
            "grice_user_frustration",
            "Responses by whether the user was frustrated before them: shown, not_shown, unscored.",
            "result",
            "bot_version",
            "channel",
        )
        self._failures = self._counter("grice_monitor_failures", "Stages of the monitor that failed.", "stage", "error")
        self._delay = self._histogram("grice_monitor_delay_seconds", "Seconds from when a response was said to its scores.")
        self._batch = self._histogram("grice_monitor_batch_seconds", "Seconds that the monitor took for a batch of responses.")
        self._judged = self._counter(
            "grice_judge_questions",
            "Questions to the judge by answer: yes, no, unscored; from_cache=yes: it was remembered.",
            "behavior",
            "answer",
            "from_cache",
        )
        self._suppressed = self._counter(
            "grice_judge_suppressed_alarms",
            "Undesired behaviours that the model found and the judge denied; behavior=alarm: alarms that it took away.",
            "behavior",
        )
        self._tokens = self._counter("grice_judge_tokens", "Tokens that the judge's server counted.", "kind")
        self._cost = self._counter("grice_judge_cost_usd", "US dollars spent on the judge, where its prices are known.")
        self._events = self._counter("grice_worker_events", "Events that the worker took from the stream, by outcome.", "outcome")
        self._lag = self._gauge("grice_stream_lag", "Events in the stream that no worker has read yet.")
        self._behind: dict[int, tuple[int, int]] = {}
        self._pending = self._gauge("grice_stream_pending", "Events that a worker has read and not finished.")
        self._trimmed = self._counter(
            "grice_stream_trimmed", "Entries dropped by a stream's limit before they were read.", "stream"
        )
        self._dead = self._counter("grice_dead_letters", "Events given up after the last try.", "error")
        self._alerts = self._counter("grice_alerts", "Alerts sent.", "rule", "state")
        self._firing = self._gauge("grice_alerts_firing", "Alerts that fire now.")
        self._checks = self._counter("grice_alert_checks", "Times that the rules of alerts were checked.", "outcome")
        self._webhooks = self._counter("grice_webhook_deliveries", "Alerts for the webhook by outcome.", "outcome")
        self._sinks = self._counter("grice_sink_scores", "Scores for sinks by outcome.", "sink", "outcome")
        for counter, values in (
            (self._alarms, (*SETTINGS, UNKNOWN)),
            (self._trimmed, STREAMS),
            (self._checks, CHECKS),
            (self._webhooks, DELIVERIES),
        ):
            for value in values:
                counter.labels(value)

    def response(self, response: ScoredResponse) -> None:
        """A response was scored, or its scoring failed. Call it once a response."""
        version, channel = self._labels(response)
        self._responses.labels(version, channel).inc()
        for behavior in BEHAVIORS:
            found = _result(response, behavior)
            for result in RESULTS:  # each is there from the first response on, so that its rate is right from the first on
                self._behaviors.labels(behavior, result, version, channel).inc(result == found)
        told = response.user_frustration
        frustrated = "unscored" if told is None else "shown" if told.shown else "not_shown"
        for result in RESULTS:
            self._frustration.labels(result, version, channel).inc(result == frustrated)
        if response.alarm:
            self._alarms.labels(response.setting or UNKNOWN).inc()
        for label in response.suppressed:
            self._suppressed.labels(label).inc()
        for failure in response.failures:
            self._failures.labels(failure.stage, failure.error).inc()
        self._delay.observe(max(0.0, response.scored_at - response.timestamp))

    def _labels(self, response: ScoredResponse) -> tuple[str, str]:
        pair = _label(response.bot_version), _label(response.channel)
        if response.tenant != DEFAULT_TENANT or self._names.of("\n".join(pair)) == OTHER:
            return OTHER, OTHER
        return pair

    def batch(self, seconds: float) -> None:
        """The monitor scored a batch."""
        self._batch.observe(seconds)

    def judgements(self, judgements: Sequence[Judgement]) -> None:
        """The judge answered, or did not."""
        for each in judgements:
            answer = "unscored" if each.decision is None else "yes" if each.decision else "no"
            self._judged.labels(each.behavior, answer, "yes" if each.cached else "no").inc()
            if not each.cached:  # a remembered answer was paid for when it was given
                self._tokens.labels("prompt").inc(each.prompt_tokens)
                self._tokens.labels("completion").inc(each.completion_tokens)
                self._cost.inc(each.cost or 0.0)

    def event(self, outcome: str, count: int = 1) -> None:
        """The worker took events: scored, skipped, repeated, failed, … (words of the worker's own)."""
        self._events.labels(outcome).inc(count)

    def sink(self, kind: str, outcome: str, scores: int) -> None:
        """What became of so many scores for a sink."""
        self._sinks.labels(kind, outcome).inc(scores)

    def stream(self, lag: int, pending: int, shard: int = 0) -> None:
        """How far this worker is behind on one of its Redis servers."""
        self._behind[shard] = (lag, pending)
        lags, pendings = zip(*tuple(self._behind.values()), strict=True)
        self._lag.set(sum(lags))
        self._pending.set(sum(pendings))

    def trimmed(self, stream: Trimmed, entries: int) -> None:
        """A stream dropped its oldest entries unread."""
        self._trimmed.labels(stream).inc(entries)

    def dead_letter(self, error: str) -> None:
        """An event was given up; `error` is the class of what went wrong."""
        self._dead.labels(error).inc()

    def rules(self, names: Sequence[str]) -> None:
        """The rules that may raise alerts: their counters are there from now on."""
        for name, state in itertools.product(names, ("firing", "resolved")):
            self._alerts.labels(name, state)

    def alert(self, rule: str, state: str) -> None:
        """An alert was sent: `firing` or `resolved`."""
        self._alerts.labels(rule, state).inc()

    def firing(self, count: Callable[[], int]) -> None:
        """From now on read how many alerts fire."""
        self._firing.set_function(count)

    def check(self, outcome: str) -> None:
        """The rules were checked: `done` or `failed`."""
        self._checks.labels(outcome).inc()

    def webhook(self, outcome: str) -> None:
        """What became of an alert for the webhook: `delivered`, `retried`, `given_up` or `dropped`."""
        self._webhooks.labels(outcome).inc()

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self.registry)

    def _gauge(self, name: str, documentation: str) -> Gauge:
        return Gauge(name, documentation, registry=self.registry)

    def _histogram(self, name: str, documentation: str) -> Histogram:
        return Histogram(name, documentation, buckets=SECONDS, registry=self.registry)


def _label(name: str | None) -> str:
    if not name:
        return UNKNOWN
    if len(name) <= MAX_LABEL:
        return name
    return f"{name[: MAX_LABEL - 9]}~{hashlib.sha256(name.encode('utf-8', 'backslashreplace')).hexdigest()[:8]}"


def _result(response: ScoredResponse, behavior: Behavior) -> str:
    if behavior in response.shown:
        return "shown"
    return "not_shown" if is_scored(response, behavior) else "unscored"
