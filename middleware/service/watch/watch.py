"""What becomes of scored responses: rates, alerts, recent alarms, metrics, and the stream of results."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grice.middleware.alerts import AlertSettings, open_alerts
from grice.middleware.monitor import ScoredResponse
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.rates import Rate, RateStore, open_rates
from grice.middleware.service.watch.alarms import Alarms
from grice.middleware.settings import ServiceSettings
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
    """The rates of a query, and the bot versions and channels that were seen within its window."""

    query: RateQuery
    rates: tuple[Rate, ...]
    bot_versions: tuple[str, ...]
    channels: tuple[str, ...]


class Watch:
    """Records scored responses. With Redis all services and workers of one Redis record together.

    Args:
        alerts: how alerts are raised; None: none are.

    Raises:
        MissingExtra: redis-py, or what the webhook of alerts needs, is not installed.
        SettingsError: a URL or a rule cannot be used.
    """

    def __init__(self, settings: ServiceSettings, metrics: MonitorMetrics, alerts: AlertSettings | None = None) -> None:
        self.alarms = Alarms(settings.alarms_kept)
        self.metrics = metrics
        self._rates: RateStore = open_rates(settings)
        self._stream = _open_stream(settings)
        shared = settings.redis_url if settings.store == "redis" else ""
        self._alerts = None if alerts is None else open_alerts(alerts, self._rates, shared, metrics)
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin to check for alerts, and to follow the stream of results, if there is one."""
        if self._alerts is not None:
            self._alerts.start()
        if self._stream is not None:
            self._stream.follow(self.alarms.add_at)

    def close(self) -> None:
        """Tell the alerts that wait, and give connections back."""
        if self._alerts is not None:
            self._alerts.close()
        self._rates.close()
        if self._stream is not None:
            self._stream.close()

    def record(self, responses: Sequence[ScoredResponse]) -> StageFailure | None:
        """Count responses that were not counted before; what failed. A failure of the store stops nothing."""
        new = [response for response in responses if self._is_new(response)]
        for response in new:
            self.metrics.response(response)
            record_evaluation(response)
        if not new:
            return None
        if self._stream is None:
            self.alarms.add(new)
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
        found = self._rates.rates(query.window_s, None, query.bot_version, query.channel)
        groups = self._rates.rates(query.window_s, by=("bot_version", "channel"))
        versions = sorted({rate.bot_version for rate in groups if rate.bot_version is not None})
        channels = sorted({rate.channel for rate in groups if rate.channel is not None})
        return Rates(query, tuple(found), tuple(versions), tuple(channels))

    def _is_new(self, response: ScoredResponse) -> bool:
        if not response.dialogue_id:  # an event's id is unique within its dialogue only
            return True
        name = (response.dialogue_id, response.event_id)
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
