"""The batcher alone, with a model that says which text it read."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grice.middleware.service.batcher import Batcher, BatchLimits
from grice.models.dialogue import Dialogue
from grice.models.errors import ModelError, Overloaded

Result = TypeVar("Result")


class Reader:
    """Gives texts back; records batches; fails on `poison`; holds back while `gate` is not set."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.at_work = 0
        self.together = 0
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def predict(self, dialogues: Sequence[Dialogue]) -> list[str]:
        texts = [dialogue.last.text for dialogue in dialogues]
        self.batches.append(texts)
        self.at_work += 1
        self.together = max(self.together, self.at_work)
        self.entered.set()
        assert self.gate.wait(30)
        self.at_work -= 1
        if any("poison" in text for text in texts):
            raise ValueError(" ".join(texts))
        return texts


def dialogues(*texts: str) -> list[Dialogue]:
    return [Dialogue.of(text) for text in texts]


def run(reader: Reader, work: Callable[[Batcher[Dialogue, str]], Awaitable[Result]], limits: BatchLimits = BatchLimits()) -> Result:
    """`work` with a batcher that is started before and closed after."""

    async def main() -> Result:
        batcher = Batcher(reader.predict, limits)
        batcher.start()
        try:
            return await work(batcher)
        finally:
            reader.gate.set()
            await batcher.close()

    return asyncio.run(main())


async def held(reader: Reader, batcher: Batcher[Dialogue, str]) -> asyncio.Task[list[str]]:
    """A call that occupies the worker until the gate is set."""
    reader.gate.clear()
    task = asyncio.create_task(batcher.submit(dialogues("first")))
    await asyncio.to_thread(reader.entered.wait, 30)
    return task


requests = st.lists(st.lists(st.sampled_from(["", "long " * 30, "poison"]), min_size=1, max_size=6), min_size=1, max_size=12)


@settings(deadline=None, max_examples=60)
@given(requests, st.integers(1, 8), st.sampled_from([0.0, 1.0]))
def test_each_caller_gets_its_own_answers(given_requests: list[list[str]], size: int, wait_ms: float) -> None:
    texts = [[f"{word}{r}.{i}" for i, word in enumerate(request)] for r, request in enumerate(given_requests)]
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> list[list[str] | BaseException]:
        return await asyncio.gather(*(batcher.submit(dialogues(*request)) for request in texts), return_exceptions=True)

    answers = run(reader, work, BatchLimits(size=size, wait_ms=wait_ms))
    for request, answer in zip(texts, answers, strict=True):
        if any("poison" in text for text in request):
            assert isinstance(answer, ValueError)
            assert str(answer) in request
        else:
            assert answer == request
    assert max(map(len, reader.batches)) <= size
    assert reader.together == 1
    if not any("poison" in text for request in texts for text in request):
        assert Counter(text for batch in reader.batches for text in batch) == Counter(text for request in texts for text in request)


def test_a_listener_that_fails_costs_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    reader = Reader()

    def broken(size: int) -> None:
        raise RuntimeError("a counter is broken")

    async def work() -> list[list[str]]:
        batcher = Batcher(reader.predict, on_batch=broken)
        batcher.start()
        answers = [await asyncio.wait_for(batcher.submit(dialogues(text)), 5) for text in ("one", "two")]
        await asyncio.wait_for(batcher.close(), 5)
        return answers

    assert asyncio.run(work()) == [["one"], ["two"]]
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert "a counter" not in caplog.text


def test_a_queue_that_breaks_tells_those_who_wait() -> None:
    reader = Reader()

    class Unordered(int):
        def __sub__(self, other: int) -> int:
            raise TypeError("lengths cannot be compared")

    async def work() -> list[list[str] | BaseException]:
        batcher = Batcher(reader.predict, BatchLimits(size=1), length=lambda dialogue: Unordered(1))
        batcher.start()
        first = await held(reader, batcher)
        calls = [asyncio.create_task(batcher.submit(dialogues(text))) for text in ("one", "two", "three")]
        await asyncio.sleep(0)
        reader.gate.set()
        answers = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 5)
        assert await first == ["first"]
        with pytest.raises(TypeError, match="cannot be compared"):  # later callers too, in place of hanging
            await asyncio.wait_for(batcher.submit([*dialogues("a", "b")]), 5)
        await asyncio.wait_for(batcher.close(), 5)
        return answers

    assert all(isinstance(answer, TypeError) for answer in asyncio.run(work()))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=20), st.integers(1, 12))
def test_the_queue_is_bounded(sizes: list[int], queue_size: int) -> None:
    reader = Reader()
    refused: list[int] = []

    async def work() -> None:
        batcher = Batcher(reader.predict, BatchLimits(size=4, queue_size=queue_size), on_refused=refused.append)
        batcher.start()
        first = await held(reader, batcher)
        calls = [asyncio.create_task(batcher.submit(dialogues(*map(str, range(size))))) for size in sizes]
        await asyncio.sleep(0)
        waiting, expected = 0, []
        for size in sizes:
            fits = waiting + size <= queue_size
            waiting += size * fits
            expected.append(fits)
        assert batcher.waiting == waiting
        reader.gate.set()
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert [not isinstance(answer, Overloaded) for answer in answers] == expected
        assert refused == [size for size, fits in zip(sizes, expected, strict=True) if not fits]
        await first
        await batcher.close()

    asyncio.run(work())


def test_a_lone_caller_does_not_wait_for_others() -> None:
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> list[str]:
        return await asyncio.wait_for(batcher.submit(dialogues("alone")), 60)

    assert run(reader, work, BatchLimits(size=4, wait_ms=1_000_000)) == ["alone"]


def test_two_callers_wait_for_a_third() -> None:
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> None:
        calls = [asyncio.create_task(batcher.submit(dialogues(text))) for text in "ab"]
        for _ in range(20):
            await asyncio.sleep(0)
        assert reader.batches == []
        await asyncio.gather(*calls, batcher.submit(dialogues("c")))

    run(reader, work, BatchLimits(size=3, wait_ms=1_000_000))
    assert reader.batches == [["a", "b", "c"]]


def test_a_batch_that_does_not_fill_leaves_after_the_wait() -> None:
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> list[str]:
        return await batcher.submit(dialogues("a", "b"))

    assert run(reader, work, BatchLimits(size=3, wait_ms=5)) == ["a", "b"]
    assert reader.batches == [["a", "b"]]


def test_callers_that_come_meanwhile_share_the_next_batch() -> None:
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> None:
        first = await held(reader, batcher)
        others = [asyncio.create_task(batcher.submit(dialogues(text))) for text in "abc"]
        await asyncio.sleep(0)
        reader.gate.set()
        await asyncio.gather(first, *others)

    run(reader, work, BatchLimits(size=8))
    assert reader.batches == [["first"], ["a", "b", "c"]]


def test_the_oldest_leaves_first_with_those_of_its_length() -> None:
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> None:
        first = await held(reader, batcher)
        rest = asyncio.create_task(batcher.submit(dialogues("xx", "y" * 90, "zz", "w" * 91, "vv")))
        await asyncio.sleep(0)
        reader.gate.set()
        await asyncio.gather(first, rest)

    run(reader, work, BatchLimits(size=3, work_ms=60_000))
    assert [sorted(batch) for batch in reader.batches] == [["first"], ["vv", "xx", "zz"], ["w" * 91, "y" * 90]]


def test_a_cancelled_caller_is_dropped() -> None:
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> None:
        first = await held(reader, batcher)
        gone = asyncio.create_task(batcher.submit(dialogues("gone", "gone too")))
        stays = asyncio.create_task(batcher.submit(dialogues("stays")))
        await asyncio.sleep(0)
        assert batcher.waiting == 3
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        assert batcher.waiting == 1
        reader.gate.set()
        assert await first == ["first"]
        assert await stays == ["stays"]

    run(reader, work)
    assert reader.batches == [["first"], ["stays"]]


def test_a_caller_cancelled_while_served_does_not_disturb_the_others() -> None:
    reader = Reader()

    async def work(batcher: Batcher[Dialogue, str]) -> list[str]:
        first = await held(reader, batcher)
        first.cancel()
        reader.gate.set()
        return await batcher.submit(dialogues("next"))

    assert run(reader, work) == ["next"]


def test_closing_serves_what_waits_and_takes_no_more() -> None:
    reader = Reader()

    async def work() -> None:
        batcher = Batcher(reader.predict, BatchLimits(size=2))
        batcher.start()
        first = await held(reader, batcher)
        waiting = asyncio.create_task(batcher.submit(dialogues("a", "b", "c")))
        await asyncio.sleep(0)
        closing = asyncio.create_task(batcher.close())
        await asyncio.sleep(0)
        with pytest.raises(Overloaded, match="stopping"):
            await batcher.submit(dialogues("late"))
        reader.gate.set()
        await closing
        assert await first == ["first"]
        assert await waiting == ["a", "b", "c"]

    asyncio.run(work())


def test_closing_while_idle_returns() -> None:
    async def work(batcher: Batcher[Dialogue, str]) -> None:
        await batcher.submit(dialogues("a"))
        await asyncio.wait_for(batcher.close(), 60)

    run(Reader(), work)


def test_a_model_that_gives_too_few_results_fails_its_callers() -> None:
    async def main() -> None:
        batcher: Batcher[Dialogue, str] = Batcher(lambda dialogues: [])
        batcher.start()
        with pytest.raises(ModelError, match="0 results for 1 items"):
            await batcher.submit(dialogues("a", "b"))
        await batcher.close()

    asyncio.run(main())


def test_nothing_in_nothing_out() -> None:
    async def work(batcher: Batcher[Dialogue, str]) -> list[str]:
        return await batcher.submit([])

    assert run(Reader(), work) == []
