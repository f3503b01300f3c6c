"""The line in which calls wait: how many items go together."""

from __future__ import annotations

import asyncio

import pytest

from grice.middleware.runtime.deadline import Deadline
from grice.middleware.service.waiting.call import WaitingCall
from grice.middleware.service.waiting.line import LONG_TOGETHER, Waiter, WaitingItem, WaitingLine
from grice.middleware.service.waiting.pace import WorkPace


@pytest.mark.parametrize(("size", "together"), [(1, 1), (3, 3), (16, LONG_TOGETHER)])
def test_long_items_of_a_call_are_no_more_than_a_batch_has(size: int, together: int) -> None:
    async def taken() -> int:
        line = WaitingLine[str, str](size, 0.1, WorkPace(0.001))
        waiter = Waiter[str, str](WaitingCall(Deadline(60.0)), "someone", 0.0)
        loop = asyncio.get_running_loop()
        waiter.items = [WaitingItem("long", 500.0, waiter, loop.create_future(), alone=True) for _ in range(6)]
        line.join(waiter)
        return len(line.take_long(2))

    assert asyncio.run(taken()) == together
