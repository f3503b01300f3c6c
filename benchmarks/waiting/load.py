"""More load than the service can serve."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grice.benchmarks.waiting.bodies import encode_body, small_bodies
from grice.benchmarks.waiting.caller import LightAnswer, LightCaller
from grice.benchmarks.waiting.report import FACTOR, LEAST_GOODPUT, MOST_P99_S, WaitingReport, ms

PATH = "/v1/turns"
AT_ONCE = (8, 16)
"""Callers that wait for their answers; the peak is the most that any of these numbers brings."""
TIMES = (1, 3, 10)
WAIT_S = 10
"""Seconds that all callers together would have to wait who come back."""


@dataclass
class Found:
    """What came back.

    Attributes:
        answers: all. told: of callers who were refused and came back: what they were told first and how long it took.
        cpu_s, wall_s: seconds of CPU that the callers took, and for how long they called. They share the machine with the service.
        late_s: by how much calls that had a time were begun with later: that is the callers' fault, not the service's.
    """

    answers: list[LightAnswer] = field(default_factory=list)
    told: list[tuple[float, float]] = field(default_factory=list)
    late_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    wall_s: float = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Measure what the callers take meanwhile."""
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        self.cpu_s, self.wall_s = time.process_time() - cpu, time.perf_counter() - wall

    @property
    def accepted(self) -> list[float]:
        """Seconds of those that were answered."""
        return [each.seconds for each in self.answers if each.status == 200]

    def goodput(self, seconds: float) -> float:
        """Answers a second that came within a second."""
        return sum(each <= MOST_P99_S for each in self.accepted) / seconds


async def add_load(report: WaitingReport, address: str, seconds: float) -> None:
    """Measure the peak, then more than that, then callers who do as `Retry-After` says."""
    bodies = small_bodies(10_000_000)
    await _callers(address, bodies, AT_ONCE[0], min(5.0, seconds))  # warms up
    counts = ("n", "accepted", "refused", "failed")
    columns = (
        "load",
        *counts,
        "p50",
        "p99",
        "a second within 1 s",
        "of the peak",
        "Retry-After: p50, most",
        "callers: CPUs, p99 late",
    )
    report.add_table("Turns to /v1/turns, times in ms, Retry-After in s", columns)
    peak, alone = 0.0, float("nan")
    for count in (1, *AT_ONCE):
        found = await _callers(address, bodies, count, seconds)
        goodput = found.goodput(seconds)
        if count == 1:
            alone = ms(found.accepted, 50)
        peak = max(peak, goodput)
        _row(report, f"{count} callers", found, goodput, peak or 1.0)
    if not peak:
        report.refuse("no turn was answered within a second: this machine is too slow, or does other things")
        return
    for times in TIMES:
        found = await _arrivals(address, bodies, times * peak, seconds)
        goodput = found.goodput(seconds)
        _row(report, f"{times} × peak", found, goodput, peak)
    report.say(f"\np99 at {TIMES[-1]} × peak: {ms(found.accepted, 99) / alone:.1f} × the p50 of one caller alone")
    report.add_bar(f"p99 of accepted calls at {TIMES[-1]} × peak, in seconds", ms(found.accepted, 99) / 1000, MOST_P99_S)
    report.add_bar(f"goodput at {TIMES[-1]} × peak, of the peak", goodput / peak, LEAST_GOODPUT, at_least=True)
    count = max(32, round(WAIT_S * peak))
    found = await _callers(address, bodies, count, 2 * WAIT_S, patient=True)
    _row(report, f"{count} callers who come back", found, found.goodput(2 * WAIT_S), peak)
    if found.told:
        factors = [max(told / waited, waited / told) for told, waited in found.told]
        report.say(f"\n{len(factors)} callers were refused and came back; Retry-After was wrong by a factor of, at the median:")
        report.add_bar("Retry-After and the wait, median factor between them", float(np.median(factors)), FACTOR)
        within = sum(each <= FACTOR for each in factors) / len(factors)
        report.say(f"\n{within:.0%} of them within a factor of {FACTOR:g}")


def _row(report: WaitingReport, name: str, found: Found, goodput: float, peak: float) -> None:
    refused = [each for each in found.answers if each.status in (429, 503)]
    failed = len(found.answers) - len(found.accepted) - len(refused)
    told = [each.retry_after_s for each in refused]
    after = f"{np.median(told):g}, {max(told):g}" if told else "-"
    counts = (len(found.answers), len(found.accepted), len(refused), failed)
    late = f"{ms(found.late_s, 99):g} ms" if found.late_s else "-"
    times = (ms(found.accepted, 50), ms(found.accepted, 99), f"{goodput:.1f}", f"{goodput / peak:.0%}", after)
    report.add_row(name, *counts, *times, f"{found.cpu_s / found.wall_s:.2f}, {late}")


async def _callers(address: str, bodies: Iterator[dict[str, Any]], count: int, seconds: float, patient: bool = False) -> Found:
    """Callers who wait for each answer; patient ones come back when they are told to, the others soon."""
    found, end = Found(), time.perf_counter() + seconds

    async def work() -> None:
        caller, first, told = LightCaller(address), 0.0, 0.0
        while time.perf_counter() < end:
            first = first or time.perf_counter()
            answer = await caller.post(PATH, encode_body(next(bodies)))
            found.answers.append(answer)
            if answer.status == 200:
                if told:
                    found.told.append((told, time.perf_counter() - first))
                first = told = 0.0
            elif patient:
                told = told or answer.retry_after_s
                await asyncio.sleep(answer.retry_after_s)
            else:
                await asyncio.sleep(0.05)
        caller.close()

    with found.timed():
        await asyncio.gather(*(work() for _ in range(count)))
    return found


async def _arrivals(address: str, bodies: Iterator[dict[str, Any]], per_second: float, seconds: float) -> Found:
    """Calls that come at chance times, whatever becomes of those before them."""
    found, chance = Found(), np.random.default_rng(0)
    idle: list[LightCaller] = []
    tasks: list[asyncio.Task[None]] = []

    async def call(planned: float) -> None:
        found.late_s.append(time.perf_counter() - planned)
        caller = idle.pop() if idle else LightCaller(address)
        found.answers.append(await caller.post(PATH, encode_body(next(bodies))))
        idle.append(caller)

    with found.timed():
        at = time.perf_counter()
        end = at + seconds
        while (at := at + chance.exponential(1 / per_second)) < end:
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            tasks.append(asyncio.create_task(call(at)))
        await asyncio.gather(*tasks)
    for caller in idle:
        caller.close()
    return found
