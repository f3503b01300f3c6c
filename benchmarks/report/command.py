"""`grice report RUN …`: runs as one page of HTML, as Markdown, as LaTeX tables and as CSV."""

from __future__ import annotations

import argparse
from pathlib import Path

from grice.middleware.cli.options import add_json_option, print_json
from grice.models.errors import InputError, MissingExtra

HELP = "turn benchmark runs into one HTML page, Markdown, LaTeX tables and CSV"
PAGE, MARKDOWN, LATEX, FIGURES, DIFFERENCES = "report.html", "report.md", "report.tex", "figures.csv", "differences.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `grice report`."""
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN.json|DIR",
        help="a file of `grice bench --out`, or a folder of `grice bench --llm-out`",
    )
    add_json_option(parser, "print the paths of the files as JSON")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help=f"folder for {PAGE}, {MARKDOWN}, {LATEX}, {FIGURES} and {DIFFERENCES}",
    )


def run(args: argparse.Namespace) -> int:
    """Write the files.

    Raises:
        InputError: a folder has no run in it, or the output cannot be written.
        DataNotFound, DataCorrupt: a run cannot be read. MissingExtra: a package is not installed.
    """
    try:
        from grice.benchmarks.report.content import content_of
        from grice.benchmarks.report.files import differences_csv, figures_csv, latex, markdown
        from grice.benchmarks.report.inputs import read_inputs
        from grice.benchmarks.report.page import page
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "bench") from error
    writers = {PAGE: page, MARKDOWN: markdown, LATEX: latex, FIGURES: figures_csv, DIFFERENCES: differences_csv}
    content = content_of(read_inputs(args.runs))
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        for name, write in writers.items():
            (args.out / name).write_text(write(content), encoding="utf-8")
            if not args.json:
                print(args.out / name)
    except OSError as error:
        raise InputError("--out", str(args.out), f"a folder that can be written ({error.strerror})") from error
    if args.json:
        print_json([args.out / name for name in writers])
    return 0
