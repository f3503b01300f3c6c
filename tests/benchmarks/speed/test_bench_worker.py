"""The worker's part of `grice bench speed`, with a model that costs a fixed time."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.worker import TURNS, add_worker, conversations
from grice.models.dialogue import Dialogue

STAND_IN = (sys.executable, "-m", "grice.benchmarks.worker.stand_in_worker", "5")
GIVEN = [Dialogue.of(f"Turn {number}.") for number in range(40)]

pytestmark = pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")


def measured(tmp_path: Path, *command: str, asked: str = "grice-int8") -> Sheet:
    sheet = Sheet("speed", ["a", "b"], 0)
    add_worker(sheet, SpeedOptions(tmp_path, rounds=2), (asked,), GIVEN, command)
    return sheet


def test_the_rate_is_that_of_a_real_process(tmp_path: Path) -> None:
    (result,) = measured(tmp_path, *STAND_IN).results
    assert (result.task, result.system, result.metric, result.n) == ("worker", "grice-int8", "per_second", 2)
    assert result.value is not None
    assert 1 < result.value < 200  # each response costs 5 ms


def test_a_worker_that_does_not_start_is_unscored_and_says_why(tmp_path: Path) -> None:
    sheet = measured(tmp_path, sys.executable, "-c", "raise SystemExit('no model of that name')")
    assert [result.value for result in sheet.results] == [None]
    assert "no model of that name" in sheet.reasons["worker/grice-int8"]


def test_another_system_is_not_measured(tmp_path: Path) -> None:
    assert not measured(tmp_path, "nothing", asked="pytorch").results


def test_rounds_have_events_of_their_own() -> None:
    events = [list(conversations(["One.", "Two."], 3, number)) for number in range(2)]
    assert [len(each) for each in events] == [3 * TURNS] * 2
    assert len({(event.dialogue_id, event.event_id) for each in events for event in each}) == 6 * TURNS
    assert len({event.dialogue_id for event in events[0]}) == 3
