"""`grice chat`: a dialogue in the terminal, with what was decided about each turn."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from grice.middleware.cli.options import add_format_options, add_json_option
from grice.middleware.cli.respond import lines_of
from grice.middleware.cli.terminal import Paint, paint_for
from grice.middleware.monitor import Monitor, MonitorSettings
from grice.middleware.monitor.reports import ResponseReport
from grice.middleware.schemas import read_schema
from grice.middleware.settings import RUNTIME, PipelineSettings, add_options, from_options
from grice.middleware.turns.analysis import TurnAnalysis
from grice.middleware.turns.pipeline import Pipeline
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import GriceError
from grice.models.meaning.results import MeaningQuestion
from grice.models.schema import BotSchema

HELP = "talk in the terminal, and see what is decided about each turn"
BOT, NEW, END, ASK = "bot:", "/new", "/quit", "/help"
GUIDE = f"Say what a user would say. `{BOT} …` is what the bot answered, and is scored. {NEW} begins anew, {END} or Ctrl-D ends."
PATIENCE_MS = 60_000
"""Nobody is kept waiting by a late stage but who tries it out."""
SHOWN = 3
"""Possible meanings that are shown."""
COLOURS = {"rewrite": "green", "clarify": "yellow", "pass": "dim"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = f"{GUIDE} From a pipe, each line is a turn."
    parser.add_argument("--bot", type=Path, metavar="FILE", help="the bot's menu; of a Rasa bot its folder, too")
    add_format_options(parser)
    add_json_option(parser, "print a JSON object a turn")
    add_options(parser, PipelineSettings, names=("direct_from", "indirect_from", "verified_from", *RUNTIME))


def run(args: argparse.Namespace) -> int:
    """Talk until the input ends. The status is 1 where a line was no turn.

    Raises:
        GriceError: the menu cannot be read, or a model cannot be loaded.
    """
    schema = read_schema(args.bot, args.format, args.services) if args.bot else None
    settings = from_options(PipelineSettings, args)
    pipeline = Pipeline.load(replace(settings, deadline_ms=max(settings.deadline_ms, PATIENCE_MS)))
    chat = ChatSession(pipeline, schema, args.json, paint_for())
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - lines can be edited, and come back
        print(GUIDE, file=sys.stderr)
    return int(max([chat.take(line) for line in _lines(is_terminal)], default=0))


def _lines(is_terminal: bool) -> Iterator[str]:
    """The lines of the input, without its end; until it ends or is told to."""
    while True:
        try:
            line = input("> " if is_terminal else "").strip()
        except EOFError:
            return
        if line == END:
            return
        yield line


class ChatSession:
    """A dialogue that grows line by line.

    Args:
        schema: what the bot can understand; None: not known.
        as_json: prints JSON lines.
    """

    def __init__(self, pipeline: Pipeline, schema: BotSchema | None, as_json: bool, paint: Paint) -> None:
        self.turns: list[Turn] = []
        self._pipeline = pipeline
        self._schema = schema
        self._as_json = as_json
        self._paint = paint

    @cached_property
    def _monitor(self) -> Monitor:
        return Monitor.load(MonitorSettings())

    def take(self, line: str) -> bool:
        """Add a turn and print what was decided, or do what is asked; whether the line was wrong."""
        if not line or line == ASK:
            print(GUIDE if line else "", end="\n" if line else "", file=sys.stderr)
            return False
        if line == NEW:
            self.turns.clear()
            return False
        try:
            self._add(line)
        except GriceError as error:
            print(json.dumps({"error": str(error)}, ensure_ascii=False) if self._as_json else self._paint(str(error), "red"))
            return True
        finally:
            sys.stdout.flush()
        return False

    def _add(self, line: str) -> None:
        if line.startswith(BOT):
            turn = Turn("bot", line.removeprefix(BOT).strip())
            dialogue = Dialogue((*self.turns, turn))
            (report,) = self._monitor.predict([dialogue])
            self._print(report, lines_of(report, dialogue, self._monitor.thresholds, self._paint))
        else:
            turn = Turn("user", line)
            dialogue = Dialogue((*self.turns, turn))
            (analysis,) = self._pipeline.predict([MeaningQuestion(dialogue, self._schema) if self._schema else dialogue])
            self._print(analysis, analysis_lines(analysis, self._paint))
        self.turns.append(turn)

    def _print(self, found: TurnAnalysis | ResponseReport, lines: Iterator[str]) -> None:
        if self._as_json:
            print(json.dumps(asdict(found), ensure_ascii=False))
        else:
            print("\n".join(f"  {line}" for line in lines))


def analysis_lines(found: TurnAnalysis, paint: Paint) -> Iterator[str]:
    """What people read of an analysis: the decision and why, the rewrite and what the guard has against it, the meaning."""
    yield paint(f"{found.decision} ({found.reason})", "bold", COLOURS[found.decision])
    if found.rewrite is not None:
        trust = "" if found.decision == "rewrite" else ", not trusted"
        yield f"rewrite    {found.rewrite.text}" + paint(f"  (confidence {found.rewrite.confidence:.2f}{trust})", "dim")
    for finding in found.findings:
        yield paint(f"against it {finding.kind} {finding.what}: {finding.value}", "yellow")
    if found.directness is not None:
        yield paint(f"directness {found.directness.score:.2f}", "dim")
    if found.meaning is not None:
        meant = found.meaning
        name = "unknown" if meant.kind == "unknown" else f"{meant.kind} {meant.meaning}"
        yield f"meaning    {name}" + paint(f"  (confidence {meant.confidence:.2f})", "dim")
        possible = ", ".join(f"{each.name} {each.share:.2f}" for each in meant.possible[:SHOWN])
        yield paint(f"may mean   {possible}", "dim")
        yield from (f"slot       {slot.slot} {slot.said}: {' or '.join(slot.values)}".rstrip(": ") for slot in meant.slots)
    if found.clarification is not None:
        yield paint(f"ask        {found.clarification.question}", "yellow")
    yield from (paint(f"failed     {failure.stage}: {failure.error}: {failure.message}", "red") for failure in found.failures)
