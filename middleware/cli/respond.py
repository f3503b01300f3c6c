"""`grice respond`: what is wrong with a bot's response, scored here."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grice.middleware.cli.conversation import read_history, run_lines
from grice.middleware.cli.options import add_json_option, add_turn_options
from grice.middleware.cli.terminal import Paint, paint_for
from grice.middleware.monitor import Monitor, MonitorSettings
from grice.middleware.monitor.reports import ResponseReport
from grice.middleware.settings import RUNTIME, add_options, from_options
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.dialogue import Dialogue
from grice.models.errors import DataNotFound, InputError
from grice.models.relations.labels import FRUSTRATION
from grice.models.relations.results import RelationFinding, RelationQuestion
from grice.models.results import Behavior

HELP = "score a bot's response (or JSON lines on standard input) here, without a service"
SETTINGS = (
    *("behaviors_model", "relations_model", "frustration_model", "frustration_threshold"),
    *("threshold_overrides", "alarm_settings", "alarm_budget", *RUNTIME),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_turn_options(parser)
    parser.add_argument(
        "--document",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="text that the bot was given to answer from, for --relations-model; may be repeated",
    )
    add_json_option(parser)
    add_options(parser, MonitorSettings, names=SETTINGS)


def run(args: argparse.Namespace) -> int:
    """Score one response or a stream of them. The status is 1 where a line is bad, or a response could not be scored.

    Raises:
        GriceError: the turn or a file cannot be read, or the model cannot be loaded.
    """
    documents = tuple(_read(path) for path in args.document)
    monitor = Monitor.load(from_options(MonitorSettings, args, SETTINGS))

    def score(dialogues: Sequence[Dialogue]) -> list[ResponseReport]:
        return monitor.predict([RelationQuestion(each, documents) if documents else each for each in dialogues])

    if args.text is None:
        unscored = 0

        def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
            nonlocal unscored
            rows = list(_rows(dialogues, score))
            unscored += sum("error" in row or row["behaviors"] is None for row in rows)
            return rows

        return max(run_lines(sys.stdin, answer, speaker="bot"), int(unscored > 0))
    dialogue = Dialogue.of(args.text, read_history(args.history), "bot")
    (report,) = score([dialogue])
    if args.json:
        print(json.dumps(asdict(report), ensure_ascii=False, indent=2))
    else:
        print("\n".join(lines_of(report, dialogue, monitor.thresholds, paint_for())))
    return int(report.behaviors is None)


def _rows(dialogues: Sequence[Dialogue], score: Any) -> Iterator[dict[str, Any]]:
    reports = iter(score([each for each in dialogues if each.last.speaker == "bot"]))
    for each in dialogues:
        if each.last.speaker == "bot":
            yield asdict(next(reports))
        else:
            yield {"error": str(InputError("last turn", "a turn of the user", "a turn of the bot, which is scored"))}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataNotFound(f"document {path}: {error}") from error


def _line_of(finding: RelationFinding) -> str:
    """A finding in words; of the user's frustration with the turn that shows it, which the response does not tell."""
    found = f"{finding.label} ({finding.probability:.2f})"
    if finding.label != FRUSTRATION or finding.about is None:
        return found
    return f'{found}, in turn {finding.about.place + 1}: "{finding.about.text}"'


def lines_of(report: ResponseReport, dialogue: Dialogue, thresholds: dict[Behavior, float], paint: Paint) -> Iterator[str]:
    """What people read of a report: the behaviours that are shown, or that none is, and how likely each is."""
    for failure in report.failures:
        yield paint(f"not scored: {failure.error}: {failure.message}", "red")
    if report.behaviors is None:
        return
    if not any(not DEFINITIONS[label].desired for label in report.shown):
        yield paint("nothing wrong found", "green")
    for label in report.shown:
        about = report.behaviors.evidence.get(label)
        against = "" if about is None else f'; about turn {about + 1}: "{dialogue.turns[about].text}"'
        yield paint(f"{label}: {DEFINITIONS[label].name}", "green" if DEFINITIONS[label].desired else "red") + against
    if report.relations is not None:
        yield from (_line_of(each) for each in report.relations.findings)
        said = "raises an alarm" if report.relations.alarm else "raises no alarm"
        yield f"{said}: {report.relations.bad:.2f} likely that anything is wrong"
    scored = [(label, share) for label, share in report.behaviors.probabilities.items() if share is not None]
    shares = (f"{label} {share:.2f} ({thresholds[label]:.2f})" for label, share in scored)
    yield paint(f"how likely (shown from): {', '.join(shares)}", "dim")
