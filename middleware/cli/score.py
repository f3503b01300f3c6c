"""`grice score`: how direct a turn is."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grice.middleware.cli.conversation import read_history, run_lines
from grice.middleware.cli.options import add_runtime_options
from grice.middleware.settings import PipelineSettings, from_environment
from grice.models import load_directness_scorer
from grice.models.dialogue import Dialogue

HELP = "score how direct a turn (or JSON lines on standard input) is, 0 to 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "text", nargs="?", help='the turn; without it, JSON lines {"text": …, "history": [{"speaker", "text"}]} are read'
    )
    parser.add_argument(
        "--history", type=Path, metavar="FILE", help='earlier turns, oldest first: lines "user: …" and "bot: …", or JSON'
    )
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Score one turn or a stream of them."""
    settings = from_environment(PipelineSettings, provider=args.provider, threads=args.threads, precision=args.precision)
    scorer = load_directness_scorer(
        settings.directness_model, provider=settings.provider, threads=settings.threads, precision=settings.precision
    )

    def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
        return [asdict(result) for result in scorer.predict(dialogues)]

    if args.text is None:
        return run_lines(sys.stdin, answer)
    print(f"{answer([Dialogue.of(args.text, read_history(args.history))])[0]['score']:.3f}")
    return 0
