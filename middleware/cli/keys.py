"""`grice keys`: who may call the REST service."""

from __future__ import annotations

import argparse
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from grice.middleware.access import DEFAULT_TENANT, SCOPES, ApiKey, KeyFile, digest_of, make_secret
from grice.middleware.cli.options import add_json_option, print_json
from grice.middleware.settings import ServiceSettings, from_environment
from grice.models.errors import SettingsError

HELP = "make, list and revoke the API keys of the REST service"

USUAL = ("turns", "monitor")
"""What a bot needs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Three acts on a file of keys."""
    parser.epilog = (
        "The file holds no secrets, only their SHA-256. A service that was started with --keys-file FILE (or GRICE_KEYS_FILE) "
        "takes notice of changes within a second."
    )
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    add = acts.add_parser("add", help="make a key and print it, this once")
    add.add_argument("name", help="what the key is called")
    add.add_argument("--tenant", default=DEFAULT_TENANT, help="whose data it opens")
    add.add_argument(
        "--scopes",
        nargs="+",
        choices=SCOPES,
        default=USUAL,
        help="turns: have turns read; monitor: have responses scored, see rates and alarms; read: see what is kept; "
        "admin: change and delete what is kept",
    )
    add.add_argument("--requests-per-minute", type=int, metavar="N", help="requests that it may make in a minute (default: any)")
    add.add_argument("--work-per-minute", type=int, metavar="N", help="work that it may ask for in a minute (default: any)")
    listed = acts.add_parser("list", help="list the keys, without their secrets")
    revoke = acts.add_parser("revoke", help="take a key back")
    revoke.add_argument("name", help="what the key is called")
    for act in (add, listed, revoke):
        add_json_option(act)
        act.add_argument("--file", type=Path, help="the file of keys (default: the one of GRICE_KEYS_FILE)")


def run(args: argparse.Namespace) -> int:
    """Change or list the keys.

    Raises:
        InputError: a name, a tenant or a limit cannot be used.
        SettingsError: no file is named, or it cannot be read or written.
    """
    file = KeyFile(_path(args.file))
    if args.act == "add":
        _add(file, args)
    elif args.act == "list":
        _list(file, args.json)
    else:
        _revoke(file, args)
    return 0


def _path(given: Path | None) -> Path:
    if given is not None:
        return given
    named = from_environment(ServiceSettings).keys_file
    if not named:
        raise SettingsError("keys_file", "", "a path, as --file FILE or in GRICE_KEYS_FILE")
    return Path(named)


def _add(file: KeyFile, args: argparse.Namespace) -> None:
    secret = make_secret()
    limits = (args.requests_per_minute, args.work_per_minute)
    scopes = tuple(each for each in SCOPES if each in args.scopes)
    file.add(ApiKey(args.name, digest_of(secret), args.tenant, scopes, *limits, created=round(time.time())))
    if args.json:
        print_json({"name": args.name, "tenant": args.tenant, "scopes": scopes, "key": secret})
        return
    print(secret)
    print(f"added {args.name} of tenant {args.tenant}; the line above is the key, and is not shown again", file=sys.stderr)


def _revoke(file: KeyFile, args: argparse.Namespace) -> None:
    name = file.revoke(args.name).name
    if args.json:
        print_json({"revoked": name})
    else:
        print(f"revoked {name}", file=sys.stderr)


def _list(file: KeyFile, as_json: bool) -> None:
    if as_json:
        shown = ("name", "tenant", "scopes", "requests_per_minute", "work_per_minute", "created")
        print_json([{name: getattr(key, name) for name in shown} for key in file.read()])
        return
    rows = [("NAME", "TENANT", "SCOPES", "REQUESTS/MIN", "WORK/MIN", "MADE"), *map(_row, file.read())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _row(key: ApiKey) -> tuple[str, str, str, str, str, str]:
    requests, work = ("any" if most is None else str(most) for most in (key.requests_per_minute, key.work_per_minute))
    made = datetime.fromtimestamp(key.created, timezone.utc).date().isoformat()
    return key.name, key.tenant, ",".join(key.scopes), requests, work, made
