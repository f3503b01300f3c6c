"""Which responses are scored where not all are."""

from __future__ import annotations

import hashlib

from grice.middleware.events.event import DialogueEvent


def is_sampled(event: DialogueEvent, share: float) -> bool:
    """Whether the event is among the `share` (0 to 1) that is scored: the same answer for the same ids, in every process."""
    digest = hashlib.sha256(f"{event.dialogue_id}\n{event.event_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
