"""Alerts: a behaviour is shown too often, or more often than before; told once, to the log and to a webhook."""

from __future__ import annotations

import logging

from grice.middleware.alerts.alert import Alert
from grice.middleware.alerts.alerts import AlertCounts, Alerts, AlertWatch, Uncounted
from grice.middleware.alerts.firing import FiringStore, MemoryFiring
from grice.middleware.alerts.rule_file import DEFAULT_RULES, read_rules
from grice.middleware.alerts.rules import AlertRule, ChangeRule, ThresholdRule
from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.alerts.signature import sign, verify
from grice.middleware.rates import RateStore

__all__ = [
    "DEFAULT_RULES",
    "Alert",
    "AlertCounts",
    "AlertRule",
    "AlertSettings",
    "AlertWatch",
    "Alerts",
    "ChangeRule",
    "ThresholdRule",
    "open_alerts",
    "read_rules",
    "sign",
    "verify",
]

log = logging.getLogger(__name__)


def open_alerts(settings: AlertSettings, rates: RateStore, redis_url: str = "", counts: AlertCounts | None = None) -> AlertWatch:
    """What watches the rates as the settings say; `start` begins it. Does not connect yet.

    Args:
        settings: rules, and where alerts go.
        rates: what is watched; the caller closes it, after the watch.
        redis_url: where all processes that watch the same rates share what fires; empty: this one is alone.
        counts: `MonitorMetrics`.

    Raises:
        MissingExtra: redis-py, or httpx for the webhook, is not installed.
        SettingsError: a rule or a URL cannot be used.
    """
    rules = read_rules(settings.alert_rules) if settings.alert_rules else DEFAULT_RULES
    firing = _firing(redis_url)
    if not settings.alert_webhook_url:
        return AlertWatch(Alerts(rules, rates, firing, to_log, counts), settings.alert_every_s, _nothing, firing.close)
    from grice.middleware.alerts.webhook import Webhook

    webhook = Webhook(settings, (counts or Uncounted()).webhook)

    def tell(alert: Alert) -> None:
        to_log(alert)
        webhook.put(alert)

    def end() -> None:
        webhook.close()
        firing.close()

    return AlertWatch(Alerts(rules, rates, firing, tell, counts), settings.alert_every_s, webhook.start, end)


def to_log(alert: Alert) -> None:
    """Tell the log: a warning when it begins, information when it is over."""
    log.log(logging.WARNING if alert.state == "firing" else logging.INFO, "alert %s", alert.summary)


def _nothing() -> None:
    """The log needs no start."""


def _firing(redis_url: str) -> FiringStore:
    if not redis_url:
        return MemoryFiring()
    from grice.middleware.alerts.redis_firing import RedisFiring

    return RedisFiring(redis_url)
