"""Refuses a rewrite that the dialogue does not support."""

from grice.middleware.turns.guard.guard import Guard

__all__ = ["Guard"]
