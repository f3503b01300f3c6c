"""Replicas behind a proxy that asks the least busy one, simulated from measured service times.

Assumed: requests come independently of each other (a Poisson process) at one rate; each needs a service time drawn from those that
were measured, whatever the load; a replica works on one request at a time, in order of arrival; the proxy knows at once how many
each replica has; replicas do not slow each other down; the network takes no time. Real traffic comes in bursts and real replicas
batch: the one makes waits longer, the other shorter.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from grice.benchmarks.stats.metrics import Array

FULLEST = 0.95
"""The share of their time that replicas may be busy; a bit more traffic would make the queues of fuller ones grow."""

EACH = 20
"""Requests a replica at least, so that queues have time to grow."""


@dataclass(frozen=True)
class Waits:
    """What a simulation came to.

    Attributes:
        replicas: how many there were.
        utilisation: the share of their time that they worked.
        sojourns: seconds from the arrival of each request to its answer.
    """

    replicas: int
    utilisation: float
    sojourns: Array

    def quantile(self, share: float) -> float:
        """Seconds within which that share of the requests was answered."""
        return float(np.quantile(self.sojourns, share))


def simulate(service_s: Array, per_second: float, replicas: int, requests: int, seed: int = 0) -> Waits:
    """Send requests to replicas.

    Args:
        service_s: measured service times, in seconds; each request draws one.
        per_second: requests that come a second.
        requests: how many come; the first tenth fills the queues, and is not counted.
    """
    random = np.random.default_rng(seed)
    arrivals = random.exponential(1 / per_second, requests).cumsum()
    needs = random.choice(service_s, requests)
    ties = random.permutation(replicas)
    under_way, free_at = np.zeros(replicas, np.int64), np.zeros(replicas)
    departures: list[tuple[float, int]] = []
    sojourns = np.empty(requests)
    for number in range(requests):
        now = float(arrivals[number])
        while departures and departures[0][0] <= now:
            under_way[heapq.heappop(departures)[1]] -= 1
        chosen = int(ties[under_way[ties].argmin()])
        done = max(now, float(free_at[chosen])) + float(needs[number])
        free_at[chosen] = done
        under_way[chosen] += 1
        heapq.heappush(departures, (done, chosen))
        sojourns[number] = done - now
    busy = float(needs.sum() / (replicas * free_at.max()))
    return Waits(replicas, busy, sojourns[requests // 10 :])


def enough(service_s: Array, per_second: float, within_s: float, requests: int, seed: int = 0) -> Waits:
    """The fewest replicas, busy for `FULLEST` of their time at most, that answer 99 of 100 requests within so many seconds.

    Raises:
        ValueError: more than one of a hundred service times alone is longer.
    """
    if np.quantile(service_s, 0.99) > within_s:
        raise ValueError(f"one of a hundred takes {np.quantile(service_s, 0.99):.3f} s by itself, more than {within_s} s")

    def send(replicas: int) -> Waits:
        return simulate(service_s, per_second, replicas, max(requests, EACH * replicas), seed)

    replicas = max(1, int(np.ceil(per_second * service_s.mean() / FULLEST)))
    too_few, found = replicas - 1, send(replicas)
    while found.quantile(0.99) > within_s:
        too_few = found.replicas
        found = send(too_few + max(1, too_few // 50))
    while found.replicas - too_few > 1:
        between = send((too_few + found.replicas) // 2)
        if between.quantile(0.99) > within_s:
            too_few = between.replicas
        else:
            found = between
    return found
