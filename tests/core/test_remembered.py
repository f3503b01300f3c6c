from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from grice.middleware.runtime.remembered import Remembered
from grice.middleware.runtime.timed_workers import TimedWorkers
from grice.models import Dialogue
from grice.models.errors import DeadlineExceeded


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
