"""Calls that wait for one model, which works in steps on a clock of its own: a unit of work takes it 10 ms."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from redis_process import eventually
from stepping_model import SteppingModel

from grice.middleware.runtime.deadline import Deadline
from grice.middleware.service.batcher import Batcher, BatchLimits
from grice.middleware.service.waiting.call import CALL, WaitingCall
from grice.models.dialogue import Dialogue
from grice.models.errors import DeadlineExceeded, Overloaded

Result = TypeVar("Result")
Strings = Batcher[Dialogue, str]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> SteppingModel:
    return SteppingModel(monkeypatch)


def run(
    model: SteppingModel, work: Callable[[Strings], Awaitable[Result]], limits: BatchLimits = BatchLimits(), learn: bool = True
) -> Result:
    """`work` with a batcher that knows how long a unit takes."""

    async def main() -> Result:
        batcher: Strings = Batcher(model.predict, limits)
        batcher.start()
        try:
            if learn:
                await ask(batcher, "l")
                model.forget()
            return await work(batcher)
        finally:
            model.gate.set()
            await asyncio.wait_for(batcher.close(), 30)

    return asyncio.run(main())


def ask(batcher: Strings, *texts: str, caller: str = "", work: int | None = None) -> Awaitable[list[str]]:
    units = None if work is None else [float(work)] * len(texts)
    return batcher.submit([Dialogue.of(text) for text in texts], units, caller)


async def begin(model: SteppingModel, batcher: Strings, *texts: str, **more: str | int) -> asyncio.Task[list[str]]:
    """A call that is under way, and held before its first step."""
    model.gate.clear()
    task = asyncio.ensure_future(ask(batcher, *texts, **more))  # type: ignore[arg-type]
    await asyncio.to_thread(model.entered.wait, 30)
    return task


async def waits(model: SteppingModel, batches: int) -> None:
    """Until so many batches wait for the model."""
    await asyncio.to_thread(eventually, lambda: model.turnstile.waiting == batches)


LONG, SLICE = 60, 4
"""Steps of a long item; of a slice, and one more."""


def test_a_small_call_comes_between_the_steps_of_a_long_one(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        long = await begin(model, batcher, *["a" * LONG] * 6)
        small = asyncio.ensure_future(ask(batcher, "b"))
        await waits(model, 1)
        model.gate.set()
        assert (await small, await long) == (["b"], ["a" * LONG] * 6)

    run(model, work)
    assert model.steps.index("b") <= SLICE
    assert len(model.steps) == 6 * LONG + 1


def test_callers_share_the_model_however_many_calls_they_have(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        first = await begin(model, batcher, "a" * LONG, caller="ann")
        others = [asyncio.ensure_future(ask(batcher, "a" * LONG, caller="ann")) for _ in range(3)]
        bob = asyncio.ensure_future(ask(batcher, "b" * LONG, caller="bob"))
        await waits(model, 4)
        model.gate.set()
        await asyncio.gather(first, bob, *others)

    run(model, work, BatchLimits(most_wait_ms=60_000))
    until = len(model.steps) - model.steps[::-1].index("b" * LONG)
    assert abs(model.steps[:until].count("a" * LONG) - LONG) <= 3 * SLICE


def test_a_call_of_many_small_items_lets_others_into_every_batch(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        held = await begin(model, batcher, "held")
        many = asyncio.ensure_future(ask(batcher, *["a"] * 40))
        others = [asyncio.ensure_future(ask(batcher, text)) for text in "bcd"]
        await asyncio.sleep(0)
        model.gate.set()
        await asyncio.gather(held, many, *others)

    run(model, work, BatchLimits(size=4, most_wait_ms=60_000))
    assert set(model.batches[1]) == set("abcd")
    assert max(map(len, model.batches)) == 4


def test_a_batch_is_not_larger_than_what_is_done_soon(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        await ask(batcher, *["abcd"] * 10)

    run(model, work, BatchLimits(work_ms=90))
    assert [len(batch) for batch in model.batches] == [2] * 5


def test_a_late_call_ends_between_steps(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        CALL.set(WaitingCall(Deadline(1.5)))
        long = await begin(model, batcher, "a" * LONG)
        with pytest.raises(DeadlineExceeded, match="no answer within 1500 ms") as late:
            await long
        assert late.value.retry_after_s is not None
        CALL.set(None)
        model.gate.set()
        assert await ask(batcher, "b") == ["b"]

    run(model, work)
    assert model.steps == ["a" * LONG, "b"]


def test_work_that_cannot_be_done_in_time_is_not_begun(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        CALL.set(WaitingCall(Deadline(1.0)))
        with pytest.raises(DeadlineExceeded, match="takes about 2000 ms") as refused:
            await ask(batcher, *["a"] * 200)
        assert refused.value.retry_after_s is None
        CALL.set(WaitingCall(Deadline(1.0)))
        assert await ask(batcher, "a", work=4000) == ["a"]  # nothing like it was measured, so it may well be done in time
        model.forget()

    run(model, work)
    assert model.batches == []


def test_a_call_that_nobody_waits_for_ends_between_steps(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        long = await begin(model, batcher, *["a" * LONG] * 3)
        small = asyncio.ensure_future(ask(batcher, "b"))
        await waits(model, 1)
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)
        assert batcher.waiting == 0
        model.gate.set()
        assert await small == ["b"]

    run(model, work)
    assert model.steps == ["a" * LONG, "b"]


def test_the_time_that_is_told_follows_from_the_queue(model: SteppingModel) -> None:
    """Four calls of 10 s each wait; a fifth may wait for three times its own work and 0.4 s, and would have to for 40 s."""

    async def work(batcher: Strings) -> None:
        calls = [await begin(model, batcher, "a", work=1000)]
        calls += [asyncio.ensure_future(ask(batcher, "a", work=1000)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded, match=r"the wait is about 40.0 s; try again in 10 s") as refused:
            await ask(batcher, "a", work=1000)
        assert refused.value.retry_after_s == 10
        calls.append(asyncio.ensure_future(ask(batcher, "b")))  # a small one need not wait for them
        await asyncio.sleep(0)
        model.gate.set()
        await asyncio.gather(*calls)

    run(model, work)


def test_a_flood_of_one_caller_does_not_keep_another_out(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        calls = [await begin(model, batcher, "a" * 9, caller="ann")]
        for _ in range(20):
            calls.append(asyncio.ensure_future(ask(batcher, "a" * 9, caller="ann")))
            await asyncio.sleep(0)
        calls.append(asyncio.ensure_future(ask(batcher, "b" * 9, caller="bob")))
        await asyncio.sleep(0)
        model.gate.set()
        *anns, bob = await asyncio.gather(*calls, return_exceptions=True)
        refused = sum(isinstance(each, Overloaded) for each in anns)
        assert bob == ["b" * 9]
        assert 10 <= refused < 20

    run(model, work)


def test_a_batch_that_takes_much_longer_is_taken_apart(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        held = await begin(model, batcher, "held")
        calls = [asyncio.ensure_future(ask(batcher, text, work=1)) for text in ("a" * 200, "b")]
        await asyncio.sleep(0)
        model.gate.set()
        await asyncio.to_thread(eventually, lambda: not model.gate.is_set())
        await waits(model, 1)
        model.gate.set()
        assert await asyncio.gather(held, *calls) == [["held"], ["a" * 200], ["b"]]

    model.most_before = 50  # it is taken apart after 41 steps, and begun anew
    run(model, work)
    assert model.batches[1:] == [["a" * 200, "b"], ["a" * 200], ["b"]]
    assert model.steps.index("b") <= 50 + SLICE


def test_an_item_that_turns_out_to_be_long_lets_others_pass(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        long = asyncio.ensure_future(ask(batcher, "a" * 400, work=1))
        await asyncio.to_thread(eventually, lambda: not model.gate.is_set())
        small = asyncio.ensure_future(ask(batcher, "b"))
        await waits(model, 1)
        model.gate.set()
        await asyncio.gather(small, long)

    model.most_before = 60  # six times what a batch may take
    run(model, work)
    assert model.steps.index("b") <= 60 + SLICE


def test_nothing_is_refused_as_long_as_it_is_not_known_how_long_work_takes(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        calls = [await begin(model, batcher, "a", work=10_000)]
        calls += [asyncio.ensure_future(ask(batcher, "a", work=10_000)) for _ in range(20)]
        await asyncio.sleep(0)
        model.gate.set()
        await asyncio.gather(*calls)

    run(model, work, learn=False)


def test_closing_ends_what_is_under_way_in_good_order(model: SteppingModel) -> None:
    async def work(batcher: Strings) -> None:
        long = await begin(model, batcher, *["a" * LONG] * 2)
        closing = asyncio.ensure_future(batcher.close())
        await asyncio.sleep(0)
        model.gate.set()
        await closing
        assert await long == ["a" * LONG] * 2

    run(model, work)
