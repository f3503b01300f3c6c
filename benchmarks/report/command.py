"""`grice report RUN …`: runs as one page of HTML and as Markdown."""

from __future__ import annotations

import argparse
from pathlib import Path

from grice.models.errors import InputError, MissingExtra

HELP = "turn benchmark runs into one HTML page and Markdown"
PAGE, MARKDOWN = "report.html", "report.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `grice report`."""
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN.json|DIR",
        help="a file of `grice bench --out`, or a folder of `grice bench --llm-out`",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help=f"folder for {PAGE} and {MARKDOWN}")


def run(args: argparse.Namespace) -> int:
    """Write both files.

    Raises:
        InputError: a folder has no run in it, or the output cannot be written.
        DataNotFound, DataCorrupt: a run cannot be read. MissingExtra: a package is not installed.
    """
    try:
        from grice.benchmarks.report.content import content_of, read_inputs
        from grice.benchmarks.report.markdown import markdown
        from grice.benchmarks.report.page import page
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "bench") from error
    content = content_of(read_inputs(args.runs))
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        for name, text in ((PAGE, page(content)), (MARKDOWN, markdown(content))):
            (args.out / name).write_text(text, encoding="utf-8")
            print(args.out / name)
    except OSError as error:
        raise InputError("--out", str(args.out), f"a folder that can be written ({error.strerror})") from error
    return 0
