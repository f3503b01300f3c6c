"""`grice doctor`: what is installed and works here, what is missing, and how to get it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict

from grice.middleware.cli.health import ASKED, Diagnosis, data, environment, models, packages, providers, redis, service
from grice.middleware.cli.options import add_json_option
from grice.middleware.cli.terminal import paint_for
from grice.middleware.settings import ServiceSettings, add_options

HELP = "say what is installed and works here, what is missing, and how to get it"
TAKES_ANY_VARIABLES = True
"""A variable that is none of ours is something to report."""
COLOURS = {"ok": "green", "missing": "yellow", "broken": "red"}

Look = Callable[[argparse.Namespace], Iterator[Diagnosis]]
LOOKS: dict[str, Look] = {
    "versions": lambda args: packages(),
    "settings": lambda args: environment(),
    "models": lambda args: models(),
    "providers": lambda args: providers(),
    "service": service,
    "redis": redis,
    "data": lambda args: data(args.data_dir),
}
"""What is looked at, in this order."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = "The status is 1 where something is broken; what is only missing is fine for those who do not need it."
    parser.add_argument("--data-dir", metavar="DIR", help="folder of the data sets (default: $GRICE_DATA_DIR)")
    parser.add_argument("--only", nargs="+", choices=tuple(LOOKS), metavar="PART", help=f"of {', '.join(LOOKS)} (default: all)")
    add_options(parser, ServiceSettings, names=ASKED)
    add_json_option(parser)


def run(args: argparse.Namespace) -> int:
    """Look at everything; nothing is changed. 1 where something is broken."""
    paint, found = paint_for(), []
    for part in args.only or LOOKS:
        if not args.json:
            print(paint(part, "bold"))
        for each in LOOKS[part](args):
            found.append({"part": part, **asdict(each)})
            if not args.json:
                fix = f"\n           {each.fix}" if each.fix else ""
                print(f"  {paint(f'{each.status:8}', COLOURS[each.status])} {each.name}: {each.detail}{fix}", flush=True)
    if args.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    return int(any(each["status"] == "broken" for each in found))
