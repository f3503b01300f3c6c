"""Scored responses, as the monitor's worker makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grice.middleware.monitor import ScoredResponse
from grice.models.results import BEHAVIORS, Behavior

NOON = 1_800_000_000.0
"""The time at which tests take place, in Unix seconds: it starts a bucket of every size."""


def scored(*shown: Behavior, at: float = NOON, **changes: Any) -> ScoredResponse:
    """A response that was said and scored at `at` and shows only `shown`."""
    probabilities = {label: 0.9 if label in shown else 0.1 for label in BEHAVIORS}
    response = ScoredResponse(f"e-{at}", "d", "A secret text.", at, at, probabilities=probabilities, shown=tuple(shown))
    return replace(response, **changes)


def several(behavior: Behavior, shown: int, of: int, at: float = NOON, **changes: Any) -> Sequence[ScoredResponse]:
    """So many responses of which so many show the behaviour."""
    return [scored(*([behavior] if number < shown else []), at=at, **changes) for number in range(of)]
