"""`grice data`: gets released data sets from their authors and checks what is there."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from grice.middleware.cli.options import add_json_option, print_json
from grice.middleware.runtime.progress import progress_bar, progress_lines
from grice.models.data.download import DownloadProgress
from grice.models.data.fetch import fetch
from grice.models.data.files import DATA_DIR_VARIABLE, data_dir
from grice.models.data.pins import DataSet, data_set, data_sets
from grice.models.data.verify import Check, verify

HELP = "fetch, verify or list released data sets"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The three actions and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="fetch|verify|list")
    getting = actions.add_parser("fetch", help="download a data set's pinned files")
    getting.add_argument("name", metavar="NAME", help=", ".join(data_sets()))
    getting.add_argument("--mirror", metavar="URL", help="fetch URL/NAME/FILE in place of the authors' address")
    getting.add_argument("--replace-subsets", action="store_true", help="fetch official files in place of known subsets")
    checking = actions.add_parser("verify", help="check size and sha256 of the files that are there")
    checking.add_argument("name", metavar="NAME", nargs="?", help=", ".join(data_sets()))
    checking.add_argument("--all", action="store_true", dest="every", help="every data set that has a folder")
    listing = actions.add_parser("list", help="what is pinned: source, revision, licence, citation")
    for action in (getting, checking, listing):
        action.add_argument("--data-dir", metavar="DIR", help=f"folder with one folder a data set (default: ${DATA_DIR_VARIABLE})")
        add_json_option(action)
    parser.set_defaults(usage_error=parser.error)


def run(args: argparse.Namespace) -> int:
    """0 if all is well; 1 if a file was refused, or one of the named data set is missing."""
    if args.action == "fetch":
        return _fetch(args)
    if args.action == "verify":
        return _verify(args)
    return _list(args)


def _fetch(args: argparse.Namespace) -> int:
    wanted = data_set(args.name)
    folder = data_dir(args.data_dir, create=True)
    results = fetch(wanted, folder, args.mirror, args.replace_subsets, _progress)
    if args.json:
        print_json([{"path": str(each.path), "outcome": each.outcome} for each in results])
        return int(any(each.outcome == "not published" for each in results))
    for result in results:
        print(f"{result.outcome}: {result.path}")
    if any(result.outcome == "not published" for result in results):
        print(f"Not published in this form: get it from {wanted.homepage}, then run `grice data verify {wanted.name}`.")
        return 1
    print(f"Licence: {wanted.licence}. Please cite: {wanted.citation}")
    return 0


def _verify(args: argparse.Namespace) -> int:
    if args.every == bool(args.name):
        args.usage_error("verify needs a NAME or --all, not both")
    folder = data_dir(args.data_dir)
    failing = {"refused"} if args.every else {"missing", "refused"}
    wanted = list(data_sets().values()) if args.every else [data_set(args.name)]
    found = {known.name: _checks(known, folder, args.every) for known in wanted}
    rows = [(name, check) for name, checks in found.items() for check in checks]
    if args.json:
        print_json([{"data_set": name, "file": check.path.name, **_facts(check)} for name, check in rows])
    else:
        _print_checks(found, folder)
    return int(any(check.status in failing for _, check in rows))


def _checks(wanted: DataSet, folder: Path, only_if_there: bool) -> list[Check]:
    return [] if only_if_there and not (folder / wanted.name).is_dir() else verify(wanted, folder)


def _facts(check: Check) -> dict[str, str]:
    return {"status": check.status, "detail": check.detail}


def _print_checks(found: Mapping[str, Sequence[Check]], folder: Path) -> None:
    for name, checks in found.items():
        if not checks:
            print(f"{name}: not in {folder}")
        for check in checks:
            print(f"{name}/{check.path.name}: {check.status}: {check.detail}")


def _list(args: argparse.Namespace) -> int:
    if args.json:
        print_json([asdict(known) for known in data_sets().values()])
        return 0
    for known in data_sets().values():
        fetchable = sum(pin.url is not None for pin in known.files)
        print(f"{known.name}: {known.title}")
        print(f"  files     {', '.join(pin.path for pin in known.files)} ({fetchable} of {len(known.files)} can be fetched)")
        print(f"  source    {known.homepage}, revision {known.revision}")
        print(f"  licence   {known.licence}")
        print(f"  cite      {known.citation}")
        if known.note:
            print(f"  note      {known.note}")
    return 0


def _progress(name: str) -> DownloadProgress:
    return progress_bar(name, "byte") or progress_lines(name, "byte")
