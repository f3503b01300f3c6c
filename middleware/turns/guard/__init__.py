"""Refuses a rewrite that the dialogue does not support."""

from grice.middleware.turns.guard.guard import Guard, find_added

__all__ = ["Guard", "find_added"]
