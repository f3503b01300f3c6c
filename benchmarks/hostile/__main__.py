"""What slow, idle and stuck callers, and signals to stop, do to the service.

    ulimit -n 20000; python -m grice.benchmarks.hostile
    python -m grice.benchmarks.hostile --connections 0 --streams 0 --sigterms 100

First a service with the default limits is flooded, which makes room by ending what has been idle longest; then one that may hold
all at once, so that time-outs alone end them. Health is checked every 20 ms by a process of its own, before the flood (the control)
and during it. Then a service is loaded and told to stop, again and again. Models are stand-ins that cost a fixed time. Ends with
status 1 unless during floods health never fails and takes less than 100 ms at the 99th percentile, all connections are ended within
15 s, and no request is lost. All run on this machine, with what else runs there: look at the control.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from grice.benchmarks.hostile.drain import DrainOutcome, drain
from grice.benchmarks.hostile.flood import Flood, FloodOutcome, ProbedHealth, flood
from grice.benchmarks.hostile.stand_in import Service, ServiceProcess
from grice.middleware.settings import ConnectionSettings, ServiceSettings
from grice.models.errors import GriceError, InputError

HEALTH_P99_S = 0.1
ENDED_S = 15.0
WAITS_S = 30.0
OTHER_FILES = 200
"""Files that this process, and the service, need beside the connections."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(
        "python -m grice.benchmarks.hostile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--connections", type=int, default=5000, metavar="N", help="slow or idle connections (default: 5000)")
    parser.add_argument("--streams", type=int, default=1000, metavar="N", help="event streams nobody reads (default: 1000)")
    parser.add_argument("--sigterms", type=int, default=10, metavar="N", help="times that the service is stopped (default: 10)")
    parser.add_argument("--cost-ms", type=float, default=10.0, metavar="N", help="what a batch costs the model (default: 10)")
    args = parser.parse_args(arguments)
    try:
        return _run(args)
    except GriceError as error:
        parser.error(str(error))


def _run(args: argparse.Namespace) -> int:
    plan, holds = Flood(args.connections, args.streams, WAITS_S), True
    files, needed = resource.getrlimit(resource.RLIMIT_NOFILE)[0], plan.connections + plan.streams + OTHER_FILES
    if files < needed:
        raise InputError("ulimit -n", files, f"at least {needed} for so many connections")
    with tempfile.TemporaryDirectory(prefix="grice-hostile-") as folder:
        log = Path(folder) / "log"
        if plan.connections + plan.streams:
            for title, most in (("default limits", ConnectionSettings().max_connections), ("room for all", needed)):
                found = _flood(plan, most, args.cost_ms, log)
                lines = [line for line in log.read_text().splitlines() if '"request"' not in line]
                print(
                    "\n".join(
                        [f"{title} ({most} connections)", *_flood_lines(found), f"  log: {len(lines)} lines but those of requests"]
                    )
                )
                holds = holds and _is_good(found)
                log.unlink()
        if args.sigterms:
            service = Service(ServiceSettings(port=0), ConnectionSettings(), args.cost_ms, log)
            drained = drain(service, args.sigterms)
            print("\n".join(_drain_lines(args.sigterms, drained)))
            holds = holds and not drained.lost and set(drained.statuses) <= {"0"}
    print("holds" if holds else "DOES NOT HOLD")
    return int(not holds)


def _flood(plan: Flood, most: int, cost_ms: float, log: Path) -> FloodOutcome:
    settings = ServiceSettings(port=0, live_clients=max(1, plan.streams))
    with ServiceProcess(Service(settings, ConnectionSettings(max_connections=most), cost_ms, log)) as process:
        return flood(process.port, plan)


def _is_good(found: FloodOutcome) -> bool:
    latest = max((max(seconds, default=0.0) for seconds in found.ended.values()), default=0.0)
    fast = found.during.percentile_s(99) < HEALTH_P99_S
    return fast and not found.during.failed and latest < ENDED_S and not any(found.left.values())


def _flood_lines(found: FloodOutcome) -> Sequence[str]:
    lines = [f"  {'kind':<14} {'ended':>6} {'p50 s':>7} {'last s':>7} {'left':>5}"]
    for kind, seconds in found.ended.items():
        middle, last = (np.median(seconds), max(seconds)) if seconds else (float("nan"), float("nan"))
        lines.append(f"  {kind:<14} {len(seconds):>6} {middle:>7.1f} {last:>7.1f} {found.left[kind]:>5}")
    return [*lines, _health_line("health before", found.before), _health_line("health during", found.during)]


def _health_line(name: str, found: ProbedHealth) -> str:
    p50, p99 = (1000 * found.percentile_s(share) for share in (50, 99))
    return (
        f"  {name}: {len(found.seconds) + found.failed} checks, {found.failed} of them failed, p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    )


def _drain_lines(signals: int, found: DrainOutcome) -> Sequence[str]:
    lost = ", ".join(f"{kind} {count}" for kind, count in found.lost.items()) or "none"
    return [
        f"{signals} times SIGTERM under load: {found.answered} answered, {found.refused} refused before they were taken",
        f"  lost: {lost}",
        f"  ended with status {', '.join(f'{status} ({count} times)' for status, count in found.statuses.items())}",
    ]


if __name__ == "__main__":
    sys.exit(main())
