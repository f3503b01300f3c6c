"""`grice judge`: what a large language model says of a bot's response."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from grice.middleware.cli.conversation import read_history, run_lines
from grice.middleware.cli.options import add_json_option, add_turn_options
from grice.middleware.judge import LlmJudge, open_judge
from grice.middleware.monitor import Judgement, MonitorSettings
from grice.middleware.settings import add_options, from_options
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError, SettingsError
from grice.models.results import BEHAVIORS, Behavior

FLAGS = {
    "judge_url": "--url",
    "judge_model": "--model",
    "judge_window": "--window",
    "judge_pairing": "--pairing",
    "judge_cache": "--cache",
}
"""The settings that have a flag here; the others come from the environment, as for every user of the judge."""
HELP = "ask a large language model which behaviours a bot's response (or JSON lines on standard input) shows"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_turn_options(parser)
    parser.add_argument(
        "--behavior",
        action="append",
        choices=BEHAVIORS,
        metavar="LABEL",
        help=f"may be repeated; one of {', '.join(BEHAVIORS)} (default: all)",
    )
    add_json_option(parser)
    add_options(parser, MonitorSettings, names=tuple(FLAGS), flags=FLAGS)


def run(args: argparse.Namespace) -> int:
    """Judge one response or a stream of them. The status is 1 where a line is bad or a question has no decision."""
    settings = from_options(MonitorSettings, args)
    judge = open_judge(settings, is_live=False)
    if judge is None:
        raise SettingsError("judge_url", "", "a base URL: give --url and --model, or set GRICE_JUDGE_URL and GRICE_JUDGE_MODEL")
    with contextlib.closing(judge.chat):
        return _run(judge, args, args.behavior or BEHAVIORS)


def _run(judge: LlmJudge, args: argparse.Namespace, labels: Sequence[Behavior]) -> int:
    if args.text is not None:
        found = judge.judge([(Dialogue.of(args.text, read_history(args.history), "bot"), label) for label in labels])
        if args.json:
            print(json.dumps({"judgements": [asdict(each) for each in found]}, ensure_ascii=False, indent=2))
        else:
            print("\n".join(map(_line, found)))
            print(_spent(found), file=sys.stderr)
        return int(any(each.decision is None for each in found))
    unscored = 0

    def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
        nonlocal unscored
        rows = [_row(judge, dialogue, labels) for dialogue in dialogues]
        unscored += sum("error" in row or any(each["decision"] is None for each in row["judgements"]) for row in rows)
        return rows

    return max(run_lines(sys.stdin, answer, 1, "bot"), int(unscored > 0))


def _row(judge: LlmJudge, dialogue: Dialogue, labels: Sequence[Behavior]) -> dict[str, Any]:
    if dialogue.last.speaker != "bot":
        return {"error": str(InputError("last turn", "a turn of the user", "a turn of the bot, which is judged"))}
    return {"judgements": [asdict(each) for each in judge.judge([(dialogue, label) for label in labels])]}


def _line(found: Judgement) -> str:
    if found.decision is None:
        return f"{found.behavior}: unscored: {found.unscored}"
    against = "" if found.evidence is None else f", against turn {found.evidence + 1}"
    return f"{found.behavior}: {'yes' if found.decision else 'no'}{against}. {' '.join(found.reasoning.split())}".rstrip(" .") + "."


def _spent(found: Sequence[Judgement]) -> str:
    prompt, completion = sum(each.prompt_tokens for each in found), sum(each.completion_tokens for each in found)
    costs = [each.cost for each in found if each.cost is not None]
    cost = f"{sum(costs):.6f} US dollars" if len(costs) == len(found) else "cost not known"
    remembered = sum(each.cached for each in found)
    return f"{prompt} prompt tokens, {completion} completion tokens, {cost}; {remembered} of {len(found)} remembered"
