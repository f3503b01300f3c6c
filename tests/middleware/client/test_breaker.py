"""The circuit breaker's pauses: they double while the service fails again, and begin anew once it has answered a call."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from redis_process import eventually

from grice.middleware.client.breaker import CircuitBreaker


def test_pauses_double_up_to_the_longest_and_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("grice.middleware.client.breaker.time", SimpleNamespace(sleep=pauses.append))
    breaker = CircuitBreaker("the service", lambda: True, 1.0)

    def fail() -> None:
        breaker.failed("it is late")
        eventually(lambda: not breaker.is_open)  # the probe finds it well

    for _ in range(5):
        fail()
    breaker.succeeded()
    fail()
    assert pauses == [1.0, 2.0, 4.0, 8.0, 8.0, 1.0]
