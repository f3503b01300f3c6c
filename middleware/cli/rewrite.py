"""`grice rewrite`: an indirect turn in direct form, or a bot's reply in a softer one."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from grice.middleware.cli.conversation import read_history, run_lines
from grice.middleware.cli.options import add_json_option, add_turn_options
from grice.middleware.responses.softening import CheckedSoftener
from grice.middleware.settings import RUNTIME, PipelineSettings, add_options, from_options
from grice.middleware.turns.pipeline import Pipeline
from grice.models import load_rewriter
from grice.models.dialogue import Dialogue

HELP = "rewrite a turn (or JSON lines on standard input) through gate and guard"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_turn_options(parser)
    parser.add_argument("--mode", choices=["replace", "append"], default="replace", help="what is printed of a rewritten turn")
    parser.add_argument(
        "--form",
        choices=["direct", "indirect"],
        default="direct",
        help="indirect softens a bot's reply; what is not trusted stays as it is",
    )
    add_json_option(parser, "print the whole analysis, as JSON")
    add_options(parser, PipelineSettings, names=("direct_from", *RUNTIME))


def run(args: argparse.Namespace) -> int:
    """Rewrite one turn or a stream of them."""
    settings = from_options(PipelineSettings, args)
    if args.form == "indirect":
        softener = CheckedSoftener(load_rewriter(settings.rewriter_model, "indirect", runtime=settings.runtime))

        def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
            return [{"refused": None, **asdict(rewrite)} for rewrite in softener.predict(dialogues)]
    else:
        pipeline = Pipeline.load(settings)

        def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
            return [asdict(analysis) for analysis in pipeline.predict(dialogues)]

    if args.text is None:
        return run_lines(sys.stdin, answer)
    result = answer([Dialogue.of(args.text, read_history(args.history), "user" if args.form == "direct" else "bot")])[0]
    print(json.dumps(result, ensure_ascii=False, indent=2) if args.json else result["text"])
    if not args.json and result.get("refused"):
        print("The reply stays as it is: what the model wrote is no longer what the bot said (--json shows it).", file=sys.stderr)
    return 0
