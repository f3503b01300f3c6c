"""`grice meaning`: what a turn means, of all that a bot can understand."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grice.middleware.capabilities.meaning import MEANING
from grice.middleware.cli.conversation import read_history, run_lines
from grice.middleware.cli.options import add_format_options, add_json_option, add_runtime_options, add_turn_options
from grice.middleware.schemas import read_schema
from grice.middleware.settings import RUNTIME, PipelineSettings, from_options
from grice.models.dialogue import Dialogue
from grice.models.meaning import MeaningQuestion, TurnMeaning, load_meaning_reader
from grice.models.meaning.results import SlotMeaning

HELP = "say what a turn (or JSON lines on standard input) means, of all that a bot can understand"
SHOWN = 5
"""Possible meanings shown; `--json` has ten."""
NOTHING = 0.005
"""Shares below it are not shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_turn_options(parser)
    parser.add_argument("--schema", type=Path, required=True, metavar="FILE", help="the bot's menu; of a Rasa bot its folder, too")
    add_format_options(parser)
    parser.add_argument(
        "--model", default=MEANING.model, metavar="NAME|DIR", help="a shipped reader, or the folder of an exported one"
    )
    add_json_option(parser, "print all that was read, as JSON")
    add_runtime_options(parser)


def run(args: argparse.Namespace) -> int:
    """Read one turn or a stream of them.

    Raises:
        GriceError: the menu or the turn cannot be read, or the reader cannot be loaded.
    """
    schema = read_schema(args.schema, args.format, args.services)
    reader = load_meaning_reader(args.model, runtime=from_options(PipelineSettings, args, RUNTIME).runtime)

    def answer(dialogues: list[Dialogue]) -> list[dict[str, Any]]:
        return [asdict(found) for found in reader.predict([MeaningQuestion(dialogue, schema) for dialogue in dialogues])]

    if args.text is None:
        return run_lines(sys.stdin, answer)
    (found,) = reader.predict([MeaningQuestion(Dialogue.of(args.text, read_history(args.history)), schema)])
    print(json.dumps(asdict(found), ensure_ascii=False, indent=2) if args.json else "\n".join(_lines(found)))
    return 0


def _lines(found: TurnMeaning) -> Iterator[str]:
    """The table that people read."""
    option = "" if found.option is None else f" {found.option}"
    said = "unknown" if found.kind == "unknown" else f"{found.kind} {found.meaning}{option}"
    yield f"{said}  (confidence {found.confidence:.2f}, margin {found.margin:.2f})"
    rows = [(f"{100 * each.share:.0f} %", each.kind, each.name) for each in found.possible[:SHOWN] if each.share >= NOTHING]
    yield from (f"  {share:>5}  {kind:6}  {name}" for share, kind, name in rows)
    yield from (f"  slot   {_slot(slot)}  ({slot.confidence:.2f}){_change(slot, found)}" for slot in found.slots)
    yield f"  by     {', '.join(each.text for each in found.evidence)}"


def _slot(slot: SlotMeaning) -> str:
    values = " or ".join(slot.values)
    return f"{slot.slot}: " + {"meant": values, "not_this": f"not {values}", "any": "any", "ambiguous": values}[slot.said]


def _change(slot: SlotMeaning, found: TurnMeaning) -> str:
    return "  changed" if slot.slot in found.changed else ""
