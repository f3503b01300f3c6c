"""`grice watch`: alarms of a running service, as they come."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from grice.middleware.cli.options import add_json_option
from grice.middleware.cli.terminal import Paint, paint_for
from grice.middleware.client.rest import Client
from grice.middleware.client.rest.live import LiveEvent
from grice.middleware.client.settings import WatchSettings
from grice.middleware.runtime.backoff import Backoff
from grice.middleware.settings import add_options, from_options
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.errors import RequestRefused, ServiceError

HELP = "show the alarms of a running service as they come"
PERMANENT = range(400, 500)
BUSY = 429


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = "A key that the service asks for is given in the environment: GRICE_SERVICE_KEY=…"
    add_options(parser, WatchSettings, flags={"service_url": "--url"})
    parser.add_argument("--rates", action="store_true", help="also how often each behaviour is shown, whenever that changes")
    parser.add_argument("--new", action="store_true", help="only alarms from now on, not those that the service keeps")
    parser.add_argument("--once", action="store_true", help="end after what the service keeps, and where it cannot be reached")
    parser.add_argument("--bot-version", metavar="NAME", help="rates of this version only")
    parser.add_argument("--channel", metavar="NAME", help="rates of this channel only")
    add_json_option(parser, "print a JSON object an event")


def run(args: argparse.Namespace) -> int:
    """Print alarms until Ctrl-C; connects again where the service goes away.

    Raises:
        MissingExtra: httpx is not installed.
        RequestRefused: the service wants another key, or another question.
        ServiceError: with --once, it cannot be reached.
    """
    settings, paint, backoff = from_options(WatchSettings, args), paint_for(), Backoff(0.5, 10.0, 0.2)
    place, failures = "", 0
    with Client(settings.service_url, settings.service_key) as client:
        if args.new:
            newest = client.read_alarms(last=1)["alarms"]
            place = newest[0]["place"] if newest else ""
        while True:
            try:
                for event in client.watch_live(bot_version=args.bot_version, channel=args.channel, after=place):
                    failures, place = 0, event.place or place
                    _print(event, args, paint)
                    if args.once and event.kind != "alarm":  # rates come behind the alarms that are kept
                        return 0
            except ServiceError as error:
                refused = isinstance(error, RequestRefused) and error.status in PERMANENT and error.status != BUSY
                if args.once or refused:
                    raise
                print(paint_for(sys.stderr)(f"{settings.service_url}: {error}; trying again", "yellow"), file=sys.stderr)
            failures += 1
            time.sleep(backoff.wait_s(failures))


def _print(event: LiveEvent, args: argparse.Namespace, paint: Paint) -> None:
    if event.kind == "rates" and not args.rates:
        return
    if args.json:
        print(json.dumps({"event": event.kind, **event.data}, ensure_ascii=False), flush=True)
        return
    lines = {"alarm": _alarm, "rates": _rates}.get(event.kind, _other)(event.data, paint)
    print("\n".join(lines), flush=True)


def _alarm(alarm: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    when = datetime.fromtimestamp(alarm["timestamp"]).strftime("%Y-%m-%d %H:%M:%S")
    named = (("dialogue", alarm["dialogue_id"]), ("channel", alarm["channel"]), ("bot", alarm["bot_version"]))
    about = "  ".join(f"{name} {value}" for name, value in named if value)
    faults = alarm.get("faults", ())
    likely = {label: alarm["probabilities"].get(label) or 0 for label in alarm["shown"]}
    for fault in faults:
        likely.setdefault(fault["label"], fault["probability"])
    shown = (paint(f"{_named(label)} {share:.2f}", "green" if _desired(label) else "red") for label, share in likely.items())
    yield f"{paint(when, 'dim')}  {', '.join(shown)}  {paint(about, 'dim')}".rstrip()
    yield f"  bot: {alarm['text']}"
    yield from (paint(f"  {label} is about: {text}", "dim") for label, text in alarm["evidence"].items() if label in alarm["shown"])
    for fault in faults:
        quoted = [f'{name} "{fault[key]}"' for name, key in (("says", "words"), ("against", "about")) if fault[key]]
        if quoted:
            yield paint(f"  {fault['label']} {' '.join(quoted)}", "dim")


def _rates(rates: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    known = (each for each in rates["rates"] if each["share"] is not None)
    shares = (f"{each['behavior']} {100 * each['share']:.1f} %" for each in known)
    yield paint(f"rates of the last {rates['window_s']} s: {', '.join(shares) or 'nothing was scored'}", "dim")


def _other(data: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    yield paint(f"the service says: {data.get('detail', data)}", "yellow")


def _named(label: str) -> str:
    return next((f"{label} {each.name}" for known, each in DEFINITIONS.items() if known == label), label)


def _desired(label: str) -> bool:
    return any(each.desired for known, each in DEFINITIONS.items() if known == label)
