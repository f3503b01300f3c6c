"""Long work gives way between its steps, and ends when nobody wants it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from redis_process import eventually
from stepping_model import StepClock

from grice.middleware.runtime.deadline import TimedWorkers
from grice.middleware.service.waiting.shares import Rank
from grice.middleware.service.waiting.turnstile import SLICE_S, BatchTurn, Overran, Turnstile
from grice.models.errors import DeadlineExceeded
from grice.models.runtime.parallel import Workers
from grice.models.runtime.pause import Stopped, pause, pausing


class Bench:
    """A turnstile with a clock, and threads that work at it."""

    def __init__(self) -> None:
        self.clock = StepClock()
        self.turnstile = Turnstile(self.clock)
        self.log: list[str] = []
        self.threads = ThreadPoolExecutor(8)

    def steps(self, name: str, count: int, before: Callable[[int], None] = lambda step: None) -> None:
        for step in range(count):
            before(step)
            pause()
            self.log.append(name)
            self.clock.step(SLICE_S)

    def waits(self, count: int) -> None:
        eventually(lambda: self.turnstile.waiting == count)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def ranked(place: float) -> Callable[[], Rank]:
    return lambda: (place, 0.0, 0)


def test_a_long_one_gives_way_to_one_that_is_due_and_goes_on(bench: Bench) -> None:
    started, due = threading.Event(), threading.Event()

    def before(step: int) -> None:
        if step == 2:
            started.set()
            assert due.wait(30)

    long = bench.threads.submit(bench.turnstile.run, BatchTurn(ranked(5)), lambda: bench.steps("long", 5, before))
    assert started.wait(30)
    short = bench.threads.submit(bench.turnstile.run, BatchTurn(ranked(1)), lambda: bench.steps("short", 2))
    bench.waits(1)
    due.set()
    long.result(30), short.result(30)
    assert bench.log == ["long", "long", "short", "short", "long", "long", "long"]


def test_two_that_are_equal_take_turns(bench: Bench) -> None:
    def turn(spent: list[float]) -> BatchTurn:
        return BatchTurn(lambda: (spent[0], 0.0, 0), spend=lambda seconds: spent.__setitem__(0, spent[0] + seconds))

    held = threading.Event()
    first = bench.threads.submit(bench.turnstile.run, BatchTurn(ranked(-1)), lambda: held.wait(30))
    waiting = [bench.threads.submit(bench.turnstile.run, turn([0.0]), partial(bench.steps, name, 6)) for name in "ab"]
    bench.waits(2)
    held.set()
    first.result(30)
    for each in waiting:
        each.result(30)
    assert "aaa" not in "".join(bench.log)
    assert "bbb" not in "".join(bench.log)


def test_one_that_is_not_wanted_ends_at_its_next_step(bench: Bench) -> None:
    wanted = [True]

    def before(step: int) -> None:
        wanted[0] = step < 3

    with pytest.raises(Stopped):
        bench.turnstile.run(BatchTurn(wanted=lambda: wanted[0]), lambda: bench.steps("a", 10, before))
    assert bench.log == ["a"] * 3
    bench.turnstile.run(BatchTurn(), lambda: bench.steps("b", 1))


def test_one_that_waits_and_is_not_wanted_ends(bench: Bench) -> None:
    held, wanted = threading.Event(), [True]
    first = bench.threads.submit(bench.turnstile.run, BatchTurn(), lambda: held.wait(30))
    eventually(lambda: bench.turnstile.is_taken)
    second = bench.threads.submit(bench.turnstile.run, BatchTurn(ranked(1), wanted=lambda: wanted[0]), lambda: bench.steps("b", 1))
    bench.waits(1)
    wanted[0] = False
    bench.turnstile.look()
    assert isinstance(second.exception(30), Stopped)
    held.set()
    first.result(30)
    assert bench.log == []


def test_one_that_takes_much_longer_is_told_once(bench: Bench) -> None:
    told: list[float] = []
    turn = BatchTurn(most_s=2.5 * SLICE_S)
    turn.overrun = lambda: told.append(turn.held_s)
    bench.turnstile.run(turn, lambda: bench.steps("a", 10))
    assert told == [pytest.approx(3 * SLICE_S)]

    def refuse() -> None:
        raise Overran

    with pytest.raises(Overran):
        bench.turnstile.run(BatchTurn(most_s=1.5 * SLICE_S, overrun=refuse), lambda: bench.steps("b", 10))
    assert bench.log.count("b") == 2


def test_the_parts_of_a_batch_stop_together_and_go_on_together(bench: Bench) -> None:
    """Parts that run side by side hold threads; those of another batch find theirs, or all would wait for ever."""
    workers, both = Workers(2), threading.Barrier(2)

    def part(items: Sequence[str]) -> list[str]:
        both.wait(30)
        for item in items:
            bench.steps(item, 20)
        return list(items)

    def one(items: Sequence[str]) -> list[str]:
        for item in items:
            bench.steps(item, 1)
        return list(items)

    long = bench.threads.submit(bench.turnstile.run, BatchTurn(ranked(5)), lambda: workers.map(part, ["long", "long"], 2))
    eventually(lambda: "long" in bench.log)
    short = bench.threads.submit(bench.turnstile.run, BatchTurn(ranked(1)), lambda: workers.map(one, ["short", "short"], 2))
    assert short.result(30) == ["short", "short"]
    assert long.result(30) == ["long", "long"]
    assert bench.log.count("long") == 40


def test_a_stage_that_is_late_ends_at_its_next_step() -> None:
    ended, go_on = threading.Event(), threading.Event()

    def work() -> None:
        try:
            assert go_on.wait(30)
            pause()
        except Stopped:
            ended.set()
            raise

    with pytest.raises(DeadlineExceeded, match="stage did not answer within 1 ms"):
        TimedWorkers(1, "test").within(1, "stage", work)
    go_on.set()
    assert ended.wait(30)


def test_a_stage_ends_with_its_batch() -> None:
    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped), pausing(stop):
        TimedWorkers(1, "test").within(60_000, "stage", pause)


def test_hooks_are_called_from_the_outside_in() -> None:
    called: list[str] = []
    with pausing(lambda: called.append("outer")), pausing(lambda: called.append("inner")):
        pause()
    pause()
    assert called == ["outer", "inner"]
