"""`grice score`: how direct a turn is."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from grice.middleware.cli.conversation import read_history, run_lines
from grice.middleware.cli.options import add_json_option, add_runtime_options, add_turn_options
from grice.middleware.settings import PipelineSettings, from_options
from grice.models import load_directness_scorer
from grice.models.dialogue import Dialogue

HELP = "score how direct a turn (or JSON lines on standard input) is, 0 to 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_turn_options(parser)
    add_json_option(parser, "print all that was found, as JSON")
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Score one turn or a stream of them."""
    settings = from_options(PipelineSettings, args)
    scorer = load_directness_scorer(settings.directness_model, runtime=settings.runtime)

    def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
        return [asdict(result) for result in scorer.predict(dialogues)]

    if args.text is None:
        return run_lines(sys.stdin, answer)
    (found,) = answer([Dialogue.of(args.text, read_history(args.history))])
    print(json.dumps(found) if args.json else f"{found['score']:.3f}")
    return 0
