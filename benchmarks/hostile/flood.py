"""Slow, idle and stuck connections: when each is ended, and how long health checks take meanwhile."""

from __future__ import annotations

import http.client
import math
import multiprocessing
import select
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe

import numpy as np

from grice.benchmarks.hostile.stand_in import PATH

PROBE_EVERY_S = 0.02
QUIET_S = 3.0
"""For how long health is checked before the flood."""
DRIP_EVERY_S = 1.0
PROBE_PATHS = ("/health/live", "/health/ready")
HEAD = b"POST " + PATH.encode() + b" HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
OPENINGS = {
    "idle": b"",
    "slow headers": b"GET /health/live HTTP/1.1\r\n",
    "slow body": HEAD + b"content-length: 1000\r\n\r\n",
    "kept alive": b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "stuck stream": b"GET /v1/live HTTP/1.1\r\nhost: localhost\r\n\r\n",
}
"""What each kind of caller sends first."""
DRIPS = {"slow headers": b"x", "slow body": b" "}
"""What it sends every second."""
ENDED = select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR


@dataclass(frozen=True)
class Flood:
    """Who comes.

    Attributes:
        connections: slow or idle ones, of all kinds but the last in turn.
        streams: callers of `/v1/live` who never read.
        longest_s: seconds after which what is still open counts as not ended.
    """

    connections: int
    streams: int
    longest_s: float

    def kinds(self) -> Iterator[str]:
        """The kind of each caller."""
        *slow, stuck = OPENINGS
        yield from (slow[place % len(slow)] for place in range(self.connections))
        yield from [stuck] * self.streams


@dataclass(frozen=True)
class ProbedHealth:
    """Health checks: the seconds that each took, and how many failed, which are not among those."""

    seconds: list[float]
    failed: int

    def percentile_s(self, share: float) -> float:
        """Seconds that this share of all checks, 0 to 100, takes at most; one that failed takes for ever."""
        every = [*self.seconds, *[math.inf] * self.failed]
        return float(np.percentile(every, share, method="higher"))


@dataclass(frozen=True)
class FloodOutcome:
    """What happened.

    Attributes:
        ended: for each kind after how many seconds each connection was ended by the service.
        left: for each kind how many were not.
        before, during: health checks before the flood, and from its first connection until the last was ended.
    """

    ended: dict[str, list[float]]
    left: dict[str, int]
    before: ProbedHealth
    during: ProbedHealth


def flood(port: int, plan: Flood) -> FloodOutcome:
    """Open all connections at once, and wait until the service has ended them. Forks: call it while no other thread runs."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    prober = context.Process(target=_probe, args=(port, theirs))
    prober.start()
    try:
        time.sleep(QUIET_S)
        ours.send("next")
        before = ours.recv()
        ended, left = _hold(port, plan)
        ours.send("next")
        during = ours.recv()
    finally:
        prober.kill()
        prober.join()
    return FloodOutcome(ended, left, before, during)


def _hold(port: int, plan: Flood) -> tuple[dict[str, list[float]], dict[str, int]]:
    poll, callers = select.epoll(), {}
    ended: dict[str, list[float]] = {kind: [] for kind in dict.fromkeys(plan.kinds())}
    for kind in plan.kinds():
        caller = socket.create_connection(("127.0.0.1", port))
        caller.setblocking(False)
        _send(caller, OPENINGS[kind])
        poll.register(caller, ENDED)
        callers[caller.fileno()] = (caller, kind, time.monotonic())
        _collect(poll, callers, ended, 0.0)
    end, next_drip = time.monotonic() + plan.longest_s, time.monotonic()
    while callers and time.monotonic() < end:
        _collect(poll, callers, ended, 0.1)
        if time.monotonic() >= next_drip:
            next_drip = time.monotonic() + DRIP_EVERY_S
            for caller, kind, _ in callers.values():
                _send(caller, DRIPS.get(kind, b""))
    left = {kind: sum(each == kind for _, each, _ in callers.values()) for kind in ended}
    for caller, _, _ in callers.values():
        caller.close()
    poll.close()
    return ended, left


def _collect(
    poll: select.epoll, callers: dict[int, tuple[socket.socket, str, float]], ended: dict[str, list[float]], seconds: float
) -> None:
    for number, _ in poll.poll(seconds):
        caller, kind, since = callers.pop(number)
        ended[kind].append(time.monotonic() - since)
        poll.unregister(caller)
        caller.close()


def _send(caller: socket.socket, data: bytes) -> None:
    try:
        caller.send(data)
    except OSError:  # it was ended; the poll tells
        return


def _probe(port: int, pipe: Pipe) -> None:
    """Check health, each time on a new connection; whenever told to, send what was found since the last time."""
    while True:
        seconds: list[float] = []
        failed = 0
        while not pipe.poll(PROBE_EVERY_S):
            taken = _check_health(port, PROBE_PATHS[len(seconds) % len(PROBE_PATHS)])
            if taken is None:
                failed += 1
            else:
                seconds.append(taken)
        pipe.recv()
        pipe.send(ProbedHealth(seconds, failed))


def _check_health(port: int, path: str) -> float | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    begun = time.perf_counter()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return time.perf_counter() - begun if answer.status == 200 else None
