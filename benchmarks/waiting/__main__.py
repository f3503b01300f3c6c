"""How long do calls of the service wait, beside a heavy one and under more load than it can serve?

    python -m grice.benchmarks.waiting --seconds 10

Starts `grice serve` with its defaults on a free port of loopback. First small calls are made to a route one after the other, alone
and beside the heaviest legal requests of another caller to the same route, who leaves after that. Then turns go to `/v1/turns`:
from as many callers at once as get the most answers (the peak), then at 1, 3 and 10 times the peak, whatever comes back; at last
from as many callers as have to wait for 10 seconds, who come back when `Retry-After` says so. All times are of one run on one
machine, so the ratios count. Ends with status 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

from grice.benchmarks.speed.servers import RestService
from grice.benchmarks.waiting.beside import add_beside
from grice.benchmarks.waiting.bodies import HEAVY
from grice.benchmarks.waiting.load import add_load
from grice.benchmarks.waiting.report import WaitingReport


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grice.benchmarks.waiting", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="of each load, and beside each heavy request (default: 10)")
    parser.add_argument("--only", choices=("beside", "load"), help="one part alone")
    parser.add_argument("--route", help="heavy requests to this route alone")
    parser.add_argument("--address", help="of a service that runs already")
    args = parser.parse_args(argv)
    report = WaitingReport()
    if args.address:
        asyncio.run(_measure(report, args, args.address))
    else:
        with RestService({}) as service:
            asyncio.run(_measure(report, args, service.address))
    print(report)
    return 0 if report.holds else 1


async def _measure(report: WaitingReport, args: argparse.Namespace, address: str) -> None:
    if args.only != "load":
        chosen = [each for each in HEAVY if args.route in (None, each.name)]
        await add_beside(report, address, chosen, args.seconds)
    if args.only != "beside":
        await add_load(report, address, args.seconds)


if __name__ == "__main__":
    sys.exit(main())
