"""A small call beside a heavy one of another caller."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Sequence

from grice.benchmarks.waiting.bodies import SMALL, Heavy, encode_body
from grice.benchmarks.waiting.caller import LightCaller
from grice.benchmarks.waiting.report import MOST_DELAY_S, WaitingReport, ms

ALONE = 20
"""Small calls that are made alone, after as many that are not counted."""
IDLE = 10
"""Small calls after the heavy caller has left."""


async def add_beside(report: WaitingReport, address: str, heavy: Sequence[Heavy], seconds: float) -> None:
    """Measure small calls beside each heavy one, for so many seconds or until all of it is answered; then its callers leave."""
    times = ("p50 alone", "p50 beside", "p99 beside", "longest", "ratio of p50", "p50 after it left")
    report.add_table("Small calls beside heavy ones, in ms", ("route", "beside", "heavy", "n", *times))
    worst = 0.0
    for number, each in enumerate(heavy):
        worst = max(worst, await _beside(report, address, each, seconds, 100_000 * (number + 1)))
    report.add_bar("longest delay of a small call by a heavy one, in seconds", worst, MOST_DELAY_S)


async def _beside(report: WaitingReport, address: str, heavy: Heavy, seconds: float, first: int) -> float:
    path, small, caller = f"/v1/{heavy.small}", SMALL[heavy.small], LightCaller(address)
    others = [LightCaller(address) for _ in range(heavy.calls)]

    async def call(number: int) -> float:
        answer = await caller.post(path, encode_body(small(first + number)))
        return answer.seconds if answer.status == 200 else float("inf")

    alone = [await call(number) for number in range(2 * ALONE)][ALONE:]
    bodies = [encode_body(heavy.body(first + number)) for number in range(heavy.calls)]
    work = asyncio.gather(*(other.post(f"/v1/{heavy.name}", body) for other, body in zip(others, bodies, strict=True)))
    await asyncio.sleep(0.5 if heavy.calls == 1 else 0.05)
    beside: list[float] = []
    end = time.perf_counter() + seconds
    while (not work.done() and time.perf_counter() < end) or not beside:
        beside.append(await call(1000 + len(beside)))
    if work.done():
        answers = work.result()
        statuses = ", ".join(f"{count} × {status}" for status, count in sorted(Counter(each.status for each in answers).items()))
        how = f"{statuses} after {max(each.seconds for each in answers):.1f} s"
    else:
        how = "under way"
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work
    for other in others:
        other.close()
    after = [await call(50_000 + number) for number in range(IDLE)]
    p50, ratio = ms(alone, 50), ms(beside, 50) / max(1.0, ms(alone, 50))
    times = (p50, *(ms(beside, share) for share in (50, 99, 100)), round(ratio, 2), ms(after, 50))
    what = heavy.what if heavy.small == heavy.name else f"{heavy.what}, to /v1/{heavy.name}"
    report.add_row(path, what, how, len(beside), *times)
    caller.close()
    return max(beside) - p50 / 1000
