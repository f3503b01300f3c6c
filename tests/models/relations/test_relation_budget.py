"""Thresholds keep a budget, and what an alarm is worth follows from how many responses are faulty."""

from __future__ import annotations

import numpy as np
import pytest

from grice.models.relations.budget import (
    NEVER,
    STEPS,
    AlarmThresholds,
    budget_steps,
    expectation,
    share_above,
    threshold_for,
)
from grice.models.relations.labels import SETTINGS


@pytest.mark.parametrize("budget", [0, 1, 2, 5, 50])
def test_no_more_false_alarms_than_the_budget(budget: float) -> None:
    fine = np.random.default_rng(1).random(400).tolist()
    threshold = threshold_for(fine, budget)
    assert share_above(fine, threshold) <= budget / 100
    assert share_above(fine, np.nextafter(threshold, 0)) * 100 > budget - 0.3


def test_many_alike_are_all_below() -> None:
    assert share_above([0.4] * 99 + [0.9], threshold_for([0.4] * 99 + [0.9], 2)) <= 0.02


def test_nothing_to_go_by_raises_no_alarm() -> None:
    assert threshold_for([], 2) == NEVER


def test_expectation() -> None:
    found = expectation(0.5, 0.02, 5)
    assert found.precision == pytest.approx(0.025 / (0.025 + 0.019))
    assert found.recall == 0.5
    assert found.alarms == pytest.approx(4.4)
    assert expectation(0, 0, 5).precision == 0


def test_the_steps_of_a_budget_hold_for_every_group_of_fine_responses() -> None:
    chance = np.random.default_rng(2)
    groups = [chance.random(size).tolist() for size in (300, 40)]
    steps = budget_steps(groups)
    assert len(steps) == STEPS
    assert steps == sorted(steps, reverse=True)
    for budget in (0, 0.5, 2, 7, 29, 99.5):
        threshold = AlarmThresholds({}, {}).with_budget(budget, dict.fromkeys(SETTINGS, steps)).of_setting("chat")
        assert all(share_above(group, threshold) <= budget / 100 + 1e-12 for group in groups)
        assert threshold == pytest.approx(max(threshold_for(group, budget) for group in groups), abs=2e-6)
    assert budget_steps([[]]) == [NEVER] * STEPS
