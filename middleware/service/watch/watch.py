"""What becomes of scored responses: rates, alerts, recent alarms, metrics, and the stream of results."""

from __future__ import annotations

import copy
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grice.middleware.access import DEFAULT_TENANT, owned
from grice.middleware.alerts import Alert, AlertRule, AlertSettings, FiringKey, QuotedResponses, open_alerts
from grice.middleware.alerts.firing import Firing
from grice.middleware.feedback import FeedbackStore, open_feedback
from grice.middleware.monitor import ScoredResponse
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.rates import Rate, RateDifference, RateGroup, RateSplit, RateStep, RateStore, compare_rates, open_rates
from grice.middleware.service.watch.alarms import Alarms
from grice.middleware.settings import ServiceSettings
from grice.middleware.sinks import open_sinks
from grice.middleware.telemetry.evaluations import record_evaluation
from grice.middleware.turns.analysis import StageFailure
from grice.models.errors import StoreError

if TYPE_CHECKING:
    from grice.middleware.service.watch.results_stream import ResultsStream

REMEMBERED = 10_000
"""Names of responses that are remembered, so that one which is sent again to this process is counted once."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RateQuery:
    """Which rates: of the last `window_s` seconds, of one bot version or channel, or (None) of all."""

    window_s: int = 3600
    bot_version: str | None = None
    channel: str | None = None


@dataclass(frozen=True)
class Rates:
    """The rates of a query, those of alarms and frustration, and the bot versions and channels that were seen within its window."""

    query: RateQuery
    rates: tuple[Rate, ...]
    alarms: Rate
    user_frustration: Rate
    bot_versions: tuple[str, ...]
    channels: tuple[str, ...]


@dataclass(frozen=True)
class WatchedAlerts:
    """The rules that are watched, what fires now, and the alerts that were told, the newest first."""

    rules: Sequence[AlertRule]
    firing: Sequence[tuple[FiringKey, Firing]]
    told: Sequence[Alert]


class Watch:
    """Records scored responses of a tenant. With Redis all services and workers of one Redis record together.

    Args:
        alerts: how alerts are raised; None: none are.

    Attributes:
        tenant: whose responses; `of` gives the watch of another.
        alarms: its recent ones.
        feedback: what people say of them.

    Raises:
        MissingExtra: redis-py, or what the webhook of alerts needs, is not installed.
        SettingsError: a URL or a rule cannot be used.
    """

    def __init__(self, settings: ServiceSettings, metrics: MonitorMetrics, alerts: AlertSettings | None = None) -> None:
        self.tenant = DEFAULT_TENANT
        self.alarms = Alarms(settings.alarms_kept)
        self.feedback: FeedbackStore = open_feedback(settings)
        self.metrics = metrics
        self._alarms = {DEFAULT_TENANT: self.alarms}
        self._kept = settings.alarms_kept
        self._rates: RateStore = open_rates(settings)
        self._stream = _open_stream(settings)
        shared = settings.redis_url if settings.store == "redis" else ""
        quoted = (0, "") if alerts is None else (alerts.alert_quotes if alerts.alert_webhook_url else 0, alerts.alert_page_url)
        self._examples = QuotedResponses(*quoted)
        self._alerts = None if alerts is None else open_alerts(alerts, self._rates, shared, metrics, self._examples)
        self._sinks = open_sinks(settings, metrics.sink)
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, tenant: str) -> Watch:
        """The watch of another tenant: other rates, other alarms."""
        other = copy.copy(self)
        other.tenant, other.alarms = tenant, self._alarms_of(tenant)
        other.feedback = self.feedback.of(tenant)
        return other

    def start(self) -> None:
        """Begin to check for alerts, to send scores, and to follow the stream of results, if there is one."""
        self._sinks.start()
        if self._alerts is not None:
            self._alerts.start()
        if self._stream is not None:
            self._stream.follow(self._take)

    def close(self) -> None:
        """Tell the alerts and send the scores that wait, and give connections back."""
        self._sinks.close()
        if self._alerts is not None:
            self._alerts.close()
        self._rates.close()
        self.feedback.close()
        if self._stream is not None:
            self._stream.close()

    def record(self, responses: Sequence[ScoredResponse]) -> StageFailure | None:
        """Count responses of the tenant that were not counted before; what failed. A failure of the store stops nothing."""
        new = [replace(response, tenant=self.tenant) for response in responses if self._is_new(response)]
        for response in new:
            self.metrics.response(response)
            record_evaluation(response)
            self._sinks.put(response)
        if not new:
            return None
        if self._stream is None:
            self.alarms.add(new)
            for response in new:
                self._examples.add(response)
        try:
            self._rates.add(new)
            if self._stream is not None:
                self._stream.add(new)
        except StoreError as error:
            log.warning("scored responses could not be kept", extra={"error": type(error.__cause__ or error).__name__})
            return StageFailure("store", type(error).__name__, str(error))
        return None

    def rates(self, query: RateQuery) -> Rates:
        """The rates of now.

        Raises:
            InputError: the window is too short or too long.
            StoreError: they cannot be read.
        """
        mine = self._rates.of(self.tenant)
        found = mine.rates(query.window_s, None, query.bot_version, query.channel)
        groups = mine.rates(query.window_s, by=("bot_version", "channel"))
        versions = sorted({rate.bot_version for rate in groups if rate.bot_version is not None})
        channels = sorted({rate.channel for rate in groups if rate.channel is not None})
        group = RateGroup(query.bot_version, query.channel)
        (alarms,), (frustration,) = (of(query.window_s, None, group) for of in (mine.alarms, mine.user_frustration))
        return Rates(query, tuple(found), alarms, frustration, tuple(versions), tuple(channels))

    def history(self, query: RateQuery, steps: int, by: Sequence[RateSplit]) -> list[RateStep]:
        """The rates of a query over time; arguments as in `RateStore.history`.

        Raises:
            InputError: the window is too short or too long.
            StoreError: they cannot be read.
        """
        mine = self._rates.of(self.tenant)
        return mine.history(query.window_s, steps, None, RateGroup(query.bot_version, query.channel), by)

    def compare(self, first: RateQuery, second: RateQuery) -> list[RateDifference]:
        """The rates of two queries, held against each other.

        Raises:
            InputError: a window is too short or too long.
            StoreError: they cannot be read.
        """
        mine = self._rates.of(self.tenant)
        one, other = [mine.rates(each.window_s, None, each.bot_version, each.channel) for each in (first, second)]
        return compare_rates(one, other)

    def alerts(self) -> WatchedAlerts | None:
        """Rules, what fires, and the alerts that were told; None where no rules are watched.

        Raises:
            StoreError: they cannot be read.
        """
        if self._alerts is None:
            return None
        told = [alert for alert in self._alerts.history.last() if alert.tenant == self.tenant]
        return WatchedAlerts(self._alerts.alerts.rules, self._alerts.alerts.firing(self.tenant), told)

    def _alarms_of(self, tenant: str) -> Alarms:
        with self._lock:
            return self._alarms.setdefault(tenant, Alarms(self._kept))

    def _take(self, places: Sequence[str], responses: Sequence[ScoredResponse]) -> None:
        """What the stream of results has, of whatever tenant."""
        for response in responses:
            self._examples.add(response)
        for tenant in dict.fromkeys(response.tenant for response in responses):
            theirs = [each for each in zip(places, responses, strict=True) if each[1].tenant == tenant]
            self._alarms_of(tenant).add_at([place for place, _ in theirs], [response for _, response in theirs])

    def _is_new(self, response: ScoredResponse) -> bool:
        if not response.dialogue_id:  # an event's id is unique within its dialogue only
            return True
        name = (owned(self.tenant, response.dialogue_id), response.event_id)
        with self._lock:
            if name in self._seen:
                return False
            self._seen[name] = None
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
            return True


def _open_stream(settings: ServiceSettings) -> ResultsStream | None:
    if settings.store != "redis" or not settings.results_stream:
        return None
    from grice.middleware.service.watch.results_stream import ResultsStream

    return ResultsStream(settings.redis_url, settings.results_stream, settings.results_maxlen, settings.store_timeout_ms / 1000)
