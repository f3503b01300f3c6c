"""Fixtures that several test files share."""

from __future__ import annotations

from inspect import getmodule

import pytest
from redis_process import redis_process, redis_server

__all__ = ["redis_process", "redis_server"]

collect_ignore = ["rasa", "frameworks", "calm"]
"""These run in environments of their own: `make test-rasa`, `make test-frameworks`, `make test-calm`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test that drives the real browser once more when it fails; what passes then is listed as RERUN, to be mended."""
    for item in items:
        module = getmodule(getattr(item, "function", None))
        if hasattr(module, "browsing"):
            item.add_marker(pytest.mark.flaky(reruns=1))
