"""Fixtures that several test files share."""

from __future__ import annotations

from redis_process import redis_process, redis_server

__all__ = ["redis_process", "redis_server"]

collect_ignore = ["rasa"]
"""The tests of the components run in Rasa's own environment: `make test-rasa`."""
