"""A long run with mixed traffic and faults, after which everything has to add up.

    python -m grice.benchmarks.soak --minutes 30

Callers send dialogues to a service, which keeps them in Redis and puts their events into a stream that two workers score.
Meanwhile Redis is killed, restarted and hung, workers are killed, and the service is flooded with slow, idle and stuck connections.
Models are stand-ins that cost a fixed time. At the end: every event that was taken is scored, and once, in order, with its whole
history; no request was answered but 200, or 429 and 503 with `Retry-After`; health never failed; the service holds about as many
files and as much memory as at the start, and stops with status 0. Ends with status 1 unless all of this holds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from grice.benchmarks.hostile.stand_in import Service, ServiceProcess
from grice.benchmarks.soak.faults import Faults, start_workers
from grice.benchmarks.soak.traffic import CALLERS, DialogueCaller, HealthWatch
from grice.benchmarks.worker.chaos_check import RESULTS, STREAM, ChaosOutcome, check
from grice.benchmarks.worker.local_redis import LocalRedis
from grice.middleware.settings import ConnectionSettings, ServiceSettings
from grice.models.errors import GriceError

COST_MS = 5.0
SETTLE_S = 15.0
"""After the traffic, until time-outs have ended what is left of it."""
STUCK_S = 300.0
MORE_FILES = 100
"""That a service may hold at the end: connections to Redis that its threads keep."""
MORE_MEMORY = 1.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and print what was found."""
    parser = argparse.ArgumentParser(
        "python -m grice.benchmarks.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30.0, metavar="N", help="how long (default: 30)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the faults (default: 0)")
    args = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="grice-soak-") as folder:
            invariants = list(_run(args.minutes * 60, args.seed, Path(folder)))
    except GriceError as error:
        parser.error(str(error))
    for holds, text in invariants:
        print(f"{'holds' if holds else 'FAILS'}  {text}")
    return int(not all(holds for holds, _ in invariants))


def _run(seconds: float, seed: int, folder: Path) -> Iterator[tuple[bool, str]]:
    stop = threading.Event()
    with LocalRedis(folder) as redis:
        settings = ServiceSettings(port=0, store="redis", redis_url=redis.url, events_stream=STREAM, events_maxlen=10_000_000)
        with (
            ServiceProcess(Service(settings, ConnectionSettings(), COST_MS, folder / "service.log")) as service,
            start_workers(redis.url, folder) as workers,
        ):
            callers = [DialogueCaller(number, service.port, stop) for number in range(CALLERS)]
            health = HealthWatch(service.port, stop)
            for thread in (*callers, health):
                thread.start()
            time.sleep(SETTLE_S / 3)
            before = _held(service.pid)
            faults = Faults(redis, workers, service.port, seed)
            try:
                faults.run(seconds)
            finally:
                stop.set()
                for thread in (*callers, health):
                    thread.join()
            taken = set[str]().union(*(caller.taken for caller in callers))
            _wait_for(redis, len(taken))
            time.sleep(SETTLE_S)
            after = _held(service.pid)
            service.tell_to_stop()
            status = service.wait(60)
        found = check(redis, taken, 1, kills=faults.done["worker killed"], restarts=0, seconds=round(seconds, 1))
    print(f"faults: {_told(faults.done)}")
    print(f"answers: {_told(sum((caller.seen for caller in callers), Counter[str]()))}")
    yield from _invariants(found, callers, health)
    yield after[0] <= before[0] + MORE_FILES, f"files of the service: {before[0]} at the start, {after[0]} at the end"
    yield after[1] <= before[1] * MORE_MEMORY, f"memory of the service: {before[1]} MB at the start, {after[1]} MB at the end"
    yield status == 0, f"the service ended with status {status}"


def _invariants(found: ChaosOutcome, callers: Sequence[DialogueCaller], health: HealthWatch) -> Iterator[tuple[bool, str]]:
    text = (
        f"{found.events} events taken, {found.results} scored: {found.missing} missing, {found.twice} twice, "
        f"{found.order} out of order, {found.history} without history, {found.dead} dead, {found.pending} pending, "
        f"{found.miscounted} miscounted"
    )
    yield bool(found.events) and found.good, text
    wrong = sum((caller.wrong for caller in callers), Counter[str]())
    yield not wrong, f"answers that should not be: {_told(wrong)}"
    p50, p99 = (1000 * float(np.percentile(health.seconds, share)) for share in (50, 99))
    text = f"health: {len(health.seconds)} checks, p50 {p50:.0f} ms, p99 {p99:.0f} ms, failed: {_told(health.failed)}"
    yield not health.failed, text


def _held(pid: int) -> tuple[int, int]:
    """Open files, and megabytes of memory, of a process."""
    files = len(os.listdir(f"/proc/{pid}/fd"))
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return files, pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def _wait_for(redis: LocalRedis, results: int) -> None:
    """Return once there are that many results, or none comes any more."""
    seen, end = -1, time.monotonic() + STUCK_S
    with redis.client() as client:
        while seen < results and time.monotonic() < end:
            now = int(client.xlen(RESULTS))
            if now > seen:
                seen, end = now, time.monotonic() + STUCK_S
            time.sleep(0.05)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


if __name__ == "__main__":
    sys.exit(main())
