"""Brings events from a bot to the service or the behaviour monitor: in order, without holding the bot up, losing none silently."""

from __future__ import annotations

from collections.abc import Callable

from grice.middleware.events.delivery import Counts, Delivery, EventPublisher
from grice.middleware.events.settings import DeliverySettings, Transport

__all__ = ["Counts", "Delivery", "DeliverySettings", "EventPublisher", "Transport", "open_publisher"]


def open_publisher(settings: DeliverySettings) -> EventPublisher:
    """The way to the receiver that the settings name. Does not connect yet.

    Raises:
        MissingExtra: it needs a package that is not installed.
        SettingsError: its URL cannot be read.
    """
    return _PUBLISHERS[settings.transport](settings)


def _redis(settings: DeliverySettings) -> EventPublisher:
    from grice.middleware.events.redis_stream import RedisStreamPublisher

    return RedisStreamPublisher(
        settings.redis_url, settings.stream, settings.maxlen, settings.timeout_ms / 1000, settings.partitions
    )


def _http(settings: DeliverySettings) -> EventPublisher:
    from grice.middleware.events.rest import RestPublisher

    return RestPublisher(settings.url, settings.api_key, settings.timeout_ms / 1000)


_PUBLISHERS: dict[Transport, Callable[[DeliverySettings], EventPublisher]] = {"redis": _redis, "http": _http}
