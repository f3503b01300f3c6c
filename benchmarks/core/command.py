"""`grice bench NAME`: run a benchmark and print, write or compare what came out."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from grice.benchmarks.core import llm_arguments, report, runner
from grice.benchmarks.core.benchmark import REQUESTS, SPLITS, WEIGHTS, Options
from grice.benchmarks.core.registry import MODULES, find
from grice.models.data.files import DATA_DIR_VARIABLE, data_dir
from grice.models.errors import InputError, MissingExtra

HELP = "measure quality and speed on held-out data"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `grice bench`."""
    parser.add_argument("name", metavar="NAME", help=f"which benchmark: {', '.join(MODULES)}")
    parser.add_argument("--data-dir", type=Path, help=f"folder with one folder a data set (default: ${DATA_DIR_VARIABLE})")
    parser.add_argument(
        "--split", default="ours", help=f"{' or '.join(SPLITS)}: our own test part (default), or every row of the files"
    )
    parser.add_argument("--system", action="extend", nargs="+", default=[], metavar="S", help="only these systems")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the bootstrap and of language models (default: 0)")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the run and its results as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE.md", help="write the tables as Markdown")
    parser.add_argument("--beam", type=int, default=Options.beams, metavar="N", help="beams of the rewriter (default: 1, greedy)")
    parser.add_argument("--threads", type=int, default=Options.threads, metavar="N", help="threads of every system (default: 1)")
    parser.add_argument("--rewriter", default=Options.rewriter, metavar="NAME|DIR", help="a shipped or exported rewriter")
    parser.add_argument(
        "--directness", default=Options.directness, metavar="NAME|DIR", help="a shipped or exported directness scorer"
    )
    parser.add_argument(
        "--behaviors", default=Options.behaviors, metavar="NAME|DIR", help="a shipped or exported behaviour monitor"
    )
    parser.add_argument(
        "--mind", default=Options.mind, metavar="NAME|DIR", help="rectom, speed: a shipped or exported model of minds"
    )
    parser.add_argument(
        "--intentions",
        default=Options.intentions,
        metavar="NAME|DIR",
        help="persuasion, speed: a shipped or exported intention detector",
    )
    parser.add_argument(
        "--task", action="extend", nargs="+", default=[], metavar="T", help="persuasion, indirect-requests: only these tasks"
    )
    parser.add_argument(
        "--annotations",
        type=Path,
        metavar="FILE.jsonl",
        help="persuasion: ask about these dialogues (`grice persuasion sheet` writes such a file)",
    )
    parser.add_argument(
        "--checkpoint",
        type=Path,
        default=Options.checkpoint,
        metavar="DIR",
        help=f"speed: the trained rewriter, for PyTorch and CTranslate2 (default: {Options.checkpoint})",
    )
    parser.add_argument("--rounds", type=int, default=Options.rounds, metavar="N", help="speed: measure N times (default: 3)")
    parser.add_argument(
        "--rasa-python",
        type=Path,
        default=Options.rasa_python,
        metavar="FILE",
        help=f"rasa-nlu: the Python of the Rasa environment (default: {Options.rasa_python})",
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=Options.work,
        metavar="DIR",
        help=f"rasa-nlu, indirect-requests: keeps trained models (default: {Options.work})",
    )
    parser.add_argument(
        "--requests",
        default=Options.requests,
        metavar="|".join(REQUESTS),
        help="indirect-requests: the official ones, ours, or the official ones if their files are there (default)",
    )
    parser.add_argument(
        "--resolver", default=Options.resolver, metavar="NAME|DIR", help="a shipped or exported slot-value resolver"
    )
    parser.add_argument(
        "--weights",
        default=Options.weights,
        metavar="|".join(WEIGHTS),
        help="abceval, persuasion, rectom: stored predictions of the cross-validation (default), or the shipped model",
    )
    llm_arguments.add(parser)


def run(args: argparse.Namespace) -> int:
    """Run the benchmark, print its tables and write the files that were asked for.

    Raises:
        InputError: an unknown name, system or option, or a file that cannot be written.
        DataError, ModelError: data or a model cannot be used. MissingExtra: a package is not installed.
    """
    benchmark = find(args.name)
    for name, path in (("--out", args.out), ("--markdown", args.markdown)):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise InputError(name, str(path), "a file in a folder that exists")
    options = Options(
        data_dir(args.data_dir),
        split=args.split,
        systems=tuple(args.system),
        limit=args.limit,
        seed=args.seed,
        beams=args.beam,
        threads=args.threads,
        rewriter=args.rewriter,
        directness=args.directness,
        checkpoint=args.checkpoint,
        rounds=args.rounds,
        rasa_python=args.rasa_python,
        work=args.work,
        behaviors=args.behaviors,
        mind=args.mind,
        intentions=args.intentions,
        tasks=tuple(args.task),
        annotations=args.annotations,
        weights=args.weights,
        requests=args.requests,
        resolver=args.resolver,
        **llm_arguments.given(args),
    )
    try:
        found = runner.run(benchmark, options, shlex.join(["grice", *sys.argv[1:]]))
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "bench") from error
    print(report.text(found), end="")
    if args.out is not None:
        found.write(args.out)
    if args.markdown is not None:
        args.markdown.write_text(report.markdown(found), encoding="utf-8")
    return 0
