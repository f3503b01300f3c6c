"""The contract of a dialogue store; memory and Redis behave the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grice.models.dialogue import Turn

REMEMBERED = 1000
"""Names of additions that are remembered of a dialogue."""


class DialogueStore(Protocol):
    """Keeps the newest turns of each dialogue of a tenant for a while. All methods may be called from any thread.

    Every method but `of` raises `StoreError` when the store cannot be reached or refuses.
    """

    def of(self, tenant: str) -> DialogueStore:
        """The store of another tenant, whose dialogues are its own, whatever they are called. It is closed with this one."""
        ...

    def append(self, dialogue_id: str, turns: Sequence[Turn], once: str | None = None) -> bool:
        """Add turns at the end, all or none, in order and unmixed with those of other callers; whether they were added.

        The oldest turns beyond the store's bound go, and the dialogue lives for the store's full time again.

        Args:
            dialogue_id: which dialogue.
            turns: what to add; none: nothing happens.
            once: a name of this addition. Another one of the same name to the same dialogue does nothing, also if two callers come
                at the same time. The newest `REMEMBERED` names of a dialogue are known, as long as the dialogue lives.
        """
        ...

    def read(self, dialogue_id: str, last: int | None = None) -> tuple[Turn, ...]:
        """The newest `last` turns (None: all that are kept), oldest first; none for an unknown dialogue."""
        ...

    def delete(self, dialogue_id: str) -> bool:
        """Forget a dialogue, and the names of what was added to it; whether there was one."""
        ...

    def expire(self, dialogue_id: str, seconds: float) -> bool:
        """Forget a dialogue that many seconds from now (at once if not positive), unless turns are added; whether there is one."""
        ...

    def ping(self) -> None:
        """Return if the store can be read and written now."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...
