from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from grice.middleware.runtime.backoff import Backoff, retry_after_s
from grice.middleware.runtime.deadline import Deadline, TimedWorkers
from grice.middleware.runtime.isolation import isolate
from grice.middleware.runtime.remembered import Remembered
from grice.models import Dialogue
from grice.models.errors import DeadlineExceeded, ModelError


class Counting:
    """The length of a turn; says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def predict(self, dialogues: Sequence[Dialogue]) -> list[int]:
        self.asked.append([dialogue.last.text for dialogue in dialogues])
        if "bad" in self.asked[-1]:
            raise ValueError("bad")
        return [len(dialogue.last.text) for dialogue in dialogues]


def of(*texts: str) -> list[Dialogue]:
    return [Dialogue.of(text) for text in texts]


def test_the_same_dialogue_is_asked_once() -> None:
    model = Counting()
    remembered = Remembered(model)
    assert remembered.predict(of("a", "bb", "a")) == [1, 2, 1]
    assert remembered.predict(of("bb", "ccc")) == [2, 3]
    assert remembered.predict([]) == []
    assert remembered.predict([Dialogue.of("a", [("bot", "Which?")])]) == [1]
    assert model.asked == [["a", "bb"], ["ccc"], ["a"]]


def test_what_was_not_used_longest_is_forgotten() -> None:
    model = Counting()
    remembered = Remembered(model, size=2)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        remembered.predict(of(text))
    assert model.asked == [["a"], ["bb"], ["ccc"], ["bb"]]


def test_a_failure_is_not_remembered() -> None:
    model = Counting()
    remembered = Remembered(model)
    for _ in range(2):
        with pytest.raises(ValueError, match="bad"):
            remembered.predict(of("bad"))
    assert len(model.asked) == 2


def test_a_caller_waits_no_longer_than_it_said() -> None:
    workers, gate = TimedWorkers(1, "test"), threading.Event()
    began = time.monotonic()
    try:
        for _ in range(3):  # the first works, the others wait behind it
            with pytest.raises(DeadlineExceeded, match="the gate did not answer within 20 ms"):
                workers.within(20, "the gate", gate.wait)
        assert time.monotonic() - began < 10
    finally:
        gate.set()
    assert workers.within(10_000, "two", lambda: 2) == 2


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError("its own")])
def test_errors_of_the_work_come_through(error: Exception) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error), match=str(error)):
        TimedWorkers(1, "test").within(10_000, "it", fail)


def test_what_is_left_of_a_deadline() -> None:
    deadline = Deadline(1000.0)
    assert 990 < deadline.left_s <= 1000
    assert deadline.allows(900.0)
    assert not deadline.allows(1000.0)
    assert not deadline.is_over
    assert (Deadline(0.0).left_s, Deadline(0.0).is_over, Deadline(-1.0).left_s) == (0.0, True, 0.0)


def test_waits_double_up_to_the_longest() -> None:
    assert [Backoff(2.0, 10.0).wait_s(failures) for failures in range(1, 5)] == [2.0, 4.0, 8.0, 10.0]
    assert Backoff(2.0, 10.0).wait_s(5000) == 10.0


def test_chance_spreads_a_part_of_the_wait() -> None:
    spread = Backoff(2.0, 10.0, spread=0.5)
    assert [spread.wait_s(failures, lambda: 0.0) for failures in (1, 2, 9)] == [1.0, 2.0, 5.0]
    assert [spread.wait_s(failures, lambda: 1.0) for failures in (1, 2, 9)] == [2.0, 4.0, 10.0]
    assert len({spread.wait_s(3) for _ in range(20)}) > 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("17", 17.0), (" 5 ", 5.0), ("2.5", 2.5), ("", 0.0), (".", 0.0), ("soon", 0.0), ("-5", 0.0), ("²", 0.0), ("nan", 0.0)],
)
def test_retry_after(header: str, seconds: float) -> None:
    assert retry_after_s(header) == seconds


def test_retry_after_as_a_date() -> None:
    date = "Fri, 15 Jan 2027 08:00:00 GMT"
    assert retry_after_s(date, now=1_800_000_000.0 - 90) == 90.0
    assert retry_after_s(date, now=1_800_000_000.0 + 90) == 0.0
    assert retry_after_s("Thu, 01 Jan 1970 00:00:00 GMT") == 0.0


class Halving:
    """Halves even numbers; an odd one breaks the batch. Says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.asked.append(list(numbers))
        if any(number % 2 for number in numbers):
            raise ValueError("odd")
        return [number // 2 for number in numbers]


def test_a_good_batch_is_one_call() -> None:
    work = Halving()
    assert isolate(work, [2, 4]) == [1, 2]
    assert isolate(work, []) == []
    assert work.asked == [[2, 4]]


def test_one_bad_item_fails_alone() -> None:
    work = Halving()
    one, bad, two = isolate(work, [2, 3, 4])
    assert (one, two) == (1, 2)
    assert isinstance(bad, ValueError)
    assert work.asked == [[2, 3, 4], [2], [3], [4]]


def test_a_final_error_is_every_item_s_own() -> None:
    work = Halving()
    assert [str(outcome) for outcome in isolate(work, [2, 3], final=(ValueError,))] == ["odd", "odd"]
    assert work.asked == [[2, 3]]


def test_results_that_do_not_fit_the_items_are_a_failure() -> None:
    outcomes = isolate(lambda numbers: [0], [1, 2])
    assert outcomes == [0, 0]
    (outcome,) = isolate(lambda numbers: [0, 0], [1])
    assert isinstance(outcome, ModelError)
    assert "2 results for 1 items" in str(outcome)
