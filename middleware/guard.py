"""Refuses a rewrite that the dialogue does not support."""

from __future__ import annotations

from grice.middleware.analysis import Finding
from grice.models.dialogue import Dialogue


class Guard:
    """Compares a rewrite with the turn and its history."""

    def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
        """What speaks against `rewrite` as another form of the last turn of `dialogue`; empty if nothing does."""
        return ()
