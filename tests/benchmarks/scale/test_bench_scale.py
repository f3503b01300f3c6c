"""`grice bench scale`: the simulation against queueing theory, the price of a judge, and what figures are made of."""

from __future__ import annotations

import itertools
import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.scale.benchmark import ONE, TWO, ScaleOptions, _add, _costs, _Rounds
from grice.benchmarks.scale.judge_price import usd_of
from grice.benchmarks.scale.pinned import ActorProcess, cores
from grice.benchmarks.scale.simulation import EACH, enough, simulate
from grice.models.dialogue import Dialogue

EXPONENTIAL = -0.010 * np.log1p(-(np.arange(20_000) + 0.5) / 20_000)
"""Service times whose mean is 10 ms, evenly over an exponential distribution."""


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_one_replica_waits_as_pollaczek_and_khinchin_say(load: float) -> None:
    """M/G/1: the mean wait is λ E[S²] / 2(1 - ρ); Kleinrock, Queueing Systems I, 5.6."""
    service = np.random.default_rng(1).gamma(2.0, 0.005, 1000)
    per_second = load / service.mean()
    found = simulate(service, per_second, 1, 200_000)
    expected = per_second * (service**2).mean() / (2 * (1 - load)) + service.mean()
    assert found.sojourns.mean() == pytest.approx(expected, rel=0.1)
    assert found.utilisation == pytest.approx(load, rel=0.05)


def test_one_replica_of_exponential_times_is_known_in_full() -> None:
    """M/M/1: a sojourn is exponential, at the rate that is left; Kleinrock, Queueing Systems I, 5.6."""
    service = EXPONENTIAL
    per_second = 0.7 / service.mean()
    left = 1 / service.mean() - per_second
    found = simulate(service, per_second, 1, 100_000)
    assert found.sojourns.mean() == pytest.approx(1 / left, rel=0.1)
    for share in (0.5, 0.99):
        assert found.quantile(share) == pytest.approx(-math.log(1 - share) / left, rel=0.15)


def test_one_replica_of_fixed_times_waits_half_as_long() -> None:
    """M/D/1: half the wait of M/M/1, by Pollaczek and Khinchin."""
    fixed = np.full(1, EXPONENTIAL.mean())
    per_second = 0.7 / fixed[0]
    expected = 0.7 / (2 * (1 / fixed[0] - per_second))
    assert (simulate(fixed, per_second, 1, 100_000).sojourns - fixed[0]).mean() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("replicas", [2, 20])
def test_least_request_is_between_one_queue_for_all_and_queues_by_chance(replicas: int) -> None:
    """One queue before all replicas (M/M/c, by Erlang's formula C) is the best there is; drawing a replica gives each an M/M/1."""
    service, load = EXPONENTIAL, 0.8
    per_second = load * replicas / service.mean()
    waited = simulate(service, per_second, replicas, 100_000).sojourns.mean() - service.mean()
    offered = load * replicas
    rest = sum(offered**count / math.factorial(count) for count in range(replicas))
    all_busy = offered**replicas / math.factorial(replicas) / (1 - load)
    best = all_busy / (rest + all_busy) * service.mean() / (replicas * (1 - load))
    worst = load * service.mean() / (1 - load)
    assert 0.9 * best < waited < 0.7 * worst


def test_every_request_is_answered_once_and_no_work_is_lost() -> None:
    service = np.random.default_rng(2).gamma(2.0, 0.005, 1000)
    for replicas in (1, 3, 12):
        found = simulate(service, 0.8 * replicas / service.mean(), replicas, 20_000)
        assert len(found.sojourns) == 18_000, "the first tenth is not counted"
        assert found.sojourns.min() > service.min() - 1e-9
        assert found.utilisation == pytest.approx(0.8, rel=0.05)


def test_more_replicas_are_never_slower() -> None:
    found = [simulate(EXPONENTIAL, 300.0, replicas, 20_000) for replicas in range(3, 12)]
    for fewer, more in itertools.pairwise(found):
        assert more.sojourns.mean() < fewer.sojourns.mean()
        assert more.quantile(0.99) <= fewer.quantile(0.99)


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


def test_none_of_many_is_left_out_in_the_search() -> None:
    """The search takes several at a time where there are many."""
    service = np.full(10, 0.020)
    found = enough(service, 6000.0, 0.021, 2000)
    assert found.replicas > 127, "the search has gone on"
    assert simulate(service, 6000.0, found.replicas - 1, EACH * (found.replicas - 1)).quantile(0.99) > 0.021


def test_a_judge_is_paid_by_response() -> None:
    one = Dialogue.of("Which day?", [("user", "A table, please.")], "bot")
    two = Dialogue((*one.turns, *one.turns))
    first, second, none = usd_of([one, two, Dialogue.of("Hello.")], 0.15, 0.60, 60)
    assert 0 < 2 * first < second < 3 * first
    assert none == 0
    assert usd_of([one], 0.30, 1.20, 60) == pytest.approx([2 * first])
    assert usd_of([one], 0.0, 1.0, 60) == pytest.approx([9 * 60 / 1e6])


def test_figures_of_one_and_two() -> None:
    """One does 10 in 2 s and 20 in 3 s, two in 1.25 and 2 s; 8 and 2 dialogues take 28.8 and 7.2 s of processor time."""
    sheet = Sheet("scale", [], 0, drawn="round")
    counts, cpu = np.array([10.0, 20.0]), np.array([[8, 28.8], [2, 7.2]])
    one = _Rounds(counts, np.array([2.0, 3.0]), np.full(4, 0.020), cpu)
    two = _Rounds(counts, np.array([1.25, 2.0]), np.zeros(0), cpu)
    options = ScaleOptions(Path("data"), rounds=2, requests=1000)
    _add(sheet, "serve", {ONE: one, TWO: two}, options)
    found = {(each.system, each.metric): each.value for each in sheet.results}
    assert found[ONE, "per_second"] == 6
    assert found[TWO, "per_second"] == pytest.approx(30 / 3.25)
    assert found[TWO, "efficiency"] == pytest.approx(30 / 3.25 / (2 * 6))
    assert found[ONE, "cpu_hours_per_million"] == pytest.approx(1000)
    (table,) = sheet.tables
    assert [row[:2] for row in table.rows] == [("100", "3"), ("1000", "22")]
    _add(sheet, "serve", {ONE: replace(one, service_s=np.full(4, 2.0))}, options)
    assert "more than 1.0 s" in str(sheet.tables[1].rows[0])


def test_the_judge_is_asked_about_the_dialogues_that_were_scored() -> None:
    cpu, options = np.array([[1.0, 3.6]]), ScaleOptions(Path("data"))
    short, long = (_costs(cpu, [Dialogue.of(text)], options) for text in ("Hello.", "A long turn about nothing at all. " * 40))
    (hours, dollars, price), (_, more_dollars, _) = ([float(str(row[1])) for row in table.rows] for table in (short, long))
    assert hours == 1000
    assert more_dollars > 1.5 * dollars
    assert price == pytest.approx(dollars / hours, abs=0.01)


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
