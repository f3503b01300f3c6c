"""Alerts: a behaviour is shown too often, or more often than before; told once, to the log and to a webhook."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from grice.middleware.alerts.alert import Alert, QuotedResponse
from grice.middleware.alerts.alerts import AlertCounts, Alerts, AlertWatch, FiringKey, Uncounted
from grice.middleware.alerts.examples import QuotedResponses
from grice.middleware.alerts.firing import FiringStore, MemoryFiring
from grice.middleware.alerts.history import AlertHistory, MemoryHistory
from grice.middleware.alerts.rule_file import DEFAULT_RULES, read_rules
from grice.middleware.alerts.rules import AlertRule, ChangeRule, ThresholdRule
from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.alerts.signature import sign, verify
from grice.middleware.rates import RateStore
from grice.models.errors import StoreError

if TYPE_CHECKING:
    from grice.middleware.alerts.webhook import Webhook

__all__ = [
    "DEFAULT_RULES",
    "Alert",
    "AlertCounts",
    "AlertRule",
    "AlertSettings",
    "AlertWatch",
    "Alerts",
    "ChangeRule",
    "FiringKey",
    "QuotedResponse",
    "QuotedResponses",
    "ThresholdRule",
    "open_alerts",
    "read_rules",
    "sign",
    "verify",
]

log = logging.getLogger(__name__)


def open_alerts(
    settings: AlertSettings,
    rates: RateStore,
    redis_url: str = "",
    counts: AlertCounts | None = None,
    examples: QuotedResponses | None = None,
) -> AlertWatch:
    """What watches the rates as the settings say; `start` begins it. Does not connect yet.

    Args:
        settings: rules, and where alerts go.
        rates: what is watched; the caller closes it, after the watch.
        redis_url: where all processes that watch the same rates share what fires; empty: this one is alone.
        counts: `MonitorMetrics`.
        examples: of responses, which alerts to the webhook quote; None: they quote none.

    Raises:
        MissingExtra: redis-py, or httpx for the webhook, is not installed.
        SettingsError: a rule or a URL cannot be used.
    """
    rules = read_rules(settings.alert_rules) if settings.alert_rules else DEFAULT_RULES
    firing, history = _stores(redis_url)
    webhook = _webhook(settings, counts)

    def tell(alert: Alert) -> None:
        to_log(alert)
        if webhook is not None:
            webhook.put(alert if examples is None else replace(alert, examples=examples.of(alert)))
        try:
            history.add(alert)  # without the examples: they are for the webhook
        except StoreError as error:
            log.warning("an alert is missing from the history: %s", error)

    def end() -> None:
        if webhook is not None:
            webhook.close()
        firing.close()
        history.close()

    begin = _nothing if webhook is None else webhook.start
    return AlertWatch(Alerts(rules, rates, firing, tell, counts), settings.alert_every_s, begin, end, history)


def to_log(alert: Alert) -> None:
    """Tell the log: a warning when it begins, information when it is over."""
    log.log(logging.WARNING if alert.state == "firing" else logging.INFO, "alert %s", alert.summary)


def _nothing() -> None:
    """The log needs no start."""


def _webhook(settings: AlertSettings, counts: AlertCounts | None) -> Webhook | None:
    if not settings.alert_webhook_url:
        return None
    from grice.middleware.alerts.webhook import Webhook

    return Webhook(settings, (counts or Uncounted()).webhook)


def _stores(redis_url: str) -> tuple[FiringStore, AlertHistory]:
    if not redis_url:
        return MemoryFiring(), MemoryHistory()
    from grice.middleware.alerts.redis_firing import RedisFiring
    from grice.middleware.alerts.redis_history import RedisHistory

    return RedisFiring(redis_url), RedisHistory(redis_url)
