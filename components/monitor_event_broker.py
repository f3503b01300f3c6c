"""Sends what users and bot say to Grice: `event_broker` in `endpoints.yml`."""

from __future__ import annotations

import asyncio
import logging
from asyncio import AbstractEventLoop
from typing import Any

from rasa.core.brokers.broker import EventBroker
from rasa.shared.exceptions import InvalidConfigException
from rasa.utils.endpoints import EndpointConfig

from grice.components.settings import given_keys
from grice.components.tracker_events import TrackerEvents
from grice.middleware.events import Counts, Delivery, DeliverySettings, open_publisher
from grice.models.errors import GriceError, SettingsError

NAME = "MonitorEventBroker"

log = logging.getLogger(__name__)


class MonitorEventBroker(EventBroker):
    """Delivers user and bot events to a Redis stream or to the REST service.

        event_broker:
          type: grice.components.MonitorEventBroker
          transport: redis            # or http, with url and api_key
          redis_url: redis://localhost:6379/0
          stream: grice:events
          partitions: 1               # as many as `grice monitor` is told (--events-partitions)

    The other keys are those of `grice.middleware.events.DeliverySettings`, and `bot_version`. Publishing only queues; a
    thread delivers, and keeps in a file what cannot be delivered yet.
    """

    def __init__(self, delivery: Delivery, bot_version: str | None = None) -> None:
        self._delivery = delivery
        self._events = TrackerEvents(bot_version)

    @classmethod
    async def from_endpoint_config(
        cls, broker_config: EndpointConfig | None, event_loop: AbstractEventLoop | None = None
    ) -> MonitorEventBroker | None:
        """The broker of an entry of `endpoints.yml`, which delivers from now on. It does not need the receiver to be there.

        Raises:
            InvalidConfigException: a key or value cannot be used, or a package is missing. Rasa goes on without any broker after an
                ImportError or AttributeError, so it is never one of those.
        """
        if broker_config is None:
            return None
        keys = given_keys(NAME, broker_config)
        try:
            bot_version = _bot_version(keys.pop("bot_version", None))
            settings = DeliverySettings.of(keys)
            delivery = Delivery(open_publisher(settings), settings)
        except (GriceError, ImportError, AttributeError) as error:
            raise InvalidConfigException(f"{NAME}: {error}") from error
        delivery.start()
        return cls(delivery, bot_version)

    @property
    def counts(self) -> Counts:
        """What became of the events so far."""
        return self._delivery.counts

    def publish(self, event: dict[str, Any]) -> None:
        """Queue an event if it is a turn of user or bot. Never raises."""
        try:
            turn = self._events.event(event)
            if turn is not None:
                self._delivery.put(turn)
        except Exception as error:  # noqa: BLE001 - Rasa would give up the message; the error may quote it
            self._delivery.counts.lost += 1
            log.error("%s: a %s event is LOST: %s", NAME, event.get("event"), type(error).__name__)

    async def close(self) -> None:
        """Deliver what waits, within `close_ms`; the rest stays in the spool file."""
        await asyncio.get_running_loop().run_in_executor(None, self._delivery.close)


def _bot_version(value: object) -> str | None:
    if value is not None and (not isinstance(value, str) or not value):
        raise SettingsError("bot_version", value, "a string")
    return value
