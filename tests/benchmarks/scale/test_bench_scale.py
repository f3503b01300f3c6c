"""`grice bench scale`: the simulation against queueing theory, the price of a judge, and a small run of all of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from grice.benchmarks.scale.judge_price import usd_of
from grice.benchmarks.scale.pinned import ActorProcess, cores
from grice.benchmarks.scale.simulation import enough, simulate
from grice.models.dialogue import Dialogue


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_one_replica_waits_as_pollaczek_and_khinchin_say(load: float) -> None:
    """M/G/1: the mean wait is λ E[S²] / 2(1 - ρ); Kleinrock, Queueing Systems I, 5.6."""
    service = np.random.default_rng(1).gamma(2.0, 0.005, 1000)
    per_second = load / service.mean()
    found = simulate(service, per_second, 1, 200_000)
    expected = per_second * (service**2).mean() / (2 * (1 - load)) + service.mean()
    assert found.sojourns.mean() == pytest.approx(expected, rel=0.1)
    assert found.utilisation == pytest.approx(load, rel=0.05)


def test_with_replicas_to_spare_nobody_waits() -> None:
    service = np.array([0.010, 0.020])
    found = simulate(service, 10.0, 50, 5000)
    assert np.allclose(np.sort(np.unique(found.sojourns.round(6))), service)


def test_the_fewest_that_are_enough_are_found() -> None:
    service = np.full(100, 0.020)
    found = enough(service, 1000.0, 0.060, 20_000)
    assert found.quantile(0.99) <= 0.060
    fewer = simulate(service, 1000.0, found.replicas - 1, 20_000)
    assert found.replicas == 22 or fewer.quantile(0.99) > 0.060
    assert found.replicas >= 20
    with pytest.raises(ValueError, match="by itself"):
        enough(service, 1.0, 0.010, 100)


def test_a_judge_is_paid_by_response() -> None:
    one = Dialogue.of("Which day?", [("user", "A table, please.")], "bot")
    two = Dialogue((*one.turns, *one.turns))
    first, second, none = usd_of([one, two, Dialogue.of("Hello.")], 0.15, 0.60, 60)
    assert 0 < 2 * first < second < 3 * first
    assert none == 0
    assert usd_of([one], 0.30, 1.20, 60) == pytest.approx([2 * first])
    assert usd_of([one], 0.0, 1.0, 60) == pytest.approx([9 * 60 / 1e6])


@pytest.mark.skipif(not cores(), reason="processes are pinned on Linux only")
def test_an_actor_stays_on_its_core_and_tells_what_parts_took(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": f"I am on a tight budget {number}."}) + "\n" for number in range(12)))
    with ActorProcess(cores()[-1], path, ["directness"]) as actor:
        assert os.sched_getaffinity(actor._process.pid) == {cores()[-1]}  # noqa: SLF001 - what is looked at from outside
        actor.start()
        found = actor.wait()
    assert found.rows == [8, 4]
    assert all(0 < cpu < 60 for cpu in found.cpu_s)
