"""The contract of a way to a receiver of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grice.middleware.events.event import DialogueEvent


class EventPublisher(Protocol):
    """Sends events to one receiver. Called by one thread at a time."""

    def publish(self, events: Sequence[DialogueEvent]) -> None:
        """Return once the receiver has all events, in order.

        Raises:
            EventsRefused: it will never take at least one of them; some of the others may have arrived.
            DeliveryError: it cannot be reached or cannot take them now; some may have arrived, and all may be sent again.
        """
        ...

    def close(self) -> None:
        """Give connections back."""
        ...
