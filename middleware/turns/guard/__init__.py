"""Refuses a rewrite that the dialogue does not support."""
