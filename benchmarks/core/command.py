"""`grice bench NAME`: run a benchmark and print what came out, or write it."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grice.benchmarks.core import report, runner
from grice.benchmarks.core.benchmark import BENCHMARKS, find
from grice.benchmarks.core.figures import Figures, run_of
from grice.benchmarks.core.options import add_options, read_options
from grice.middleware.cli import Defaults
from grice.middleware.cli.options import add_json_option, print_json
from grice.models.errors import InputError, MissingExtra

HELP = "measure quality and speed on held-out data"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `grice bench`: a parser a benchmark, which has its options once it is used."""
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME", parser_class=_BenchmarkParser)
    for name, (_, about) in BENCHMARKS.items():
        names.add_parser(name, help=about, description=about, formatter_class=_Help)


class _Help(Defaults, argparse.RawDescriptionHelpFormatter):
    """Tells defaults, and leaves the list of systems as it is."""


class _BenchmarkParser(argparse.ArgumentParser):
    """Imports its benchmark when its own arguments are read, not before."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        try:
            benchmark = find(self.prog.rpartition(" ")[2])
        except MissingExtra as error:
            self.error(str(error))
        add_options(self, benchmark.options)
        self.add_argument("--out", type=Path, metavar="FILE.json", help="write the run and its results as JSON")
        self.add_argument("--figures", type=Path, metavar="figures.json", help="put the figures there, for README and model cards")
        add_json_option(self, "print the run and its results as JSON, in place of tables")
        self.add_argument("--markdown", type=Path, metavar="FILE.md", help="write the tables as Markdown")
        width = max(map(len, benchmark.systems.names))
        self.epilog = "\n".join(["systems:", *(f"  {each.name:{width}}  {each.about}" for each in benchmark.systems)])
        return super().parse_known_args(args, namespace)


def run(args: argparse.Namespace) -> int:
    """Run the benchmark, print its tables and write the files that were asked for.

    Raises:
        InputError: an unknown system or a value out of range, or a file that cannot be written.
        DataError, ModelError: data or a model cannot be used. MissingExtra: a package is not installed.
    """
    benchmark = find(args.name)
    for name, path in (("--out", args.out), ("--markdown", args.markdown), ("--figures", args.figures)):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise InputError(name, str(path), "a file in a folder that exists")
    options = read_options(args, benchmark.options)
    try:
        found = runner.run(benchmark, options, shlex.join(["grice", *sys.argv[1:]]))
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "bench") from error
    if args.json:
        print_json(found.as_dict())
    else:
        print(report.text(found), end="")
    if args.out is not None:
        found.write(args.out)
    if args.figures is not None:
        figures = Figures.read(args.figures)
        figures.runs[benchmark.name] = run_of(found)
        figures.write(args.figures)
    if args.markdown is not None:
        args.markdown.write_text(report.markdown(found), encoding="utf-8")
    return 0
