"""`grice schema`: what a bot can understand, read from its own files; and what keeps it from being understood."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from grice.middleware.cli.options import add_format_options, add_json_option
from grice.middleware.runtime.progress import progress_bar
from grice.middleware.runtime.yaml_files import dump_yaml
from grice.middleware.schemas import read_schema
from grice.middleware.schemas.check import SchemaFinding, check_schema
from grice.middleware.schemas.content import EXTRA
from grice.middleware.settings import PipelineSettings, add_options, from_options
from grice.models.meaning import load_meaning_reader
from grice.models.schema import BotSchema

HELP = "show what a bot can understand, from its own files, and check that it can be understood"
READER = ("provider", "threads", "precision", "meaning_model")
LONG = 50
"""With more examples than this a terminal shows how many are read."""
SHOWN = 3
"""Examples shown of a finding; `--json` has them all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The two actions and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="check|show")
    checking = actions.add_parser("check", help="find what is missing, and intents that the reader of meaning cannot tell apart")
    showing = actions.add_parser("show", help="print the menu in Grice's own format, YAML or JSON")
    for action in (checking, showing):
        action.add_argument("path", type=Path, metavar="FILE", help="a file, or the folder of a Rasa bot")
        add_format_options(action)
        add_json_option(action)
    add_options(checking, PipelineSettings, names=READER)


def run(args: argparse.Namespace) -> int:
    """Check or show. The status of a check is 1 where something was found.

    Raises:
        GriceError: the menu cannot be read, or the reader of meaning cannot be loaded.
    """
    schema = read_schema(args.path, args.format, args.services)
    if args.action == "show":
        content = schema.as_dict()
        print(json.dumps(content, ensure_ascii=False, indent=2) if args.json else dump_yaml(content, EXTRA).rstrip("\n"))
        return 0
    return _check(schema, args)


def _check(schema: BotSchema, args: argparse.Namespace) -> int:
    settings = from_options(PipelineSettings, args, READER)
    reader = load_meaning_reader(settings.meaning_model, runtime=settings.runtime)
    is_long = sum(len(intent.examples) for intent in schema.intents) > LONG
    findings = check_schema(schema, reader, progress_bar("examples", "example") if is_long else None)
    if args.json:
        answer = {"fingerprint": schema.fingerprint, "findings": [asdict(finding) for finding in findings]}
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        _print(findings)
        print(f"{len(schema.intents)} intents, {len(schema.slots)} slots, {len(findings)} findings", file=sys.stderr)
    return int(bool(findings))


def _print(findings: Sequence[SchemaFinding]) -> None:
    for finding in findings:
        print(f"{finding.kind}: {', '.join(finding.names)}: {finding.message}")
        for text in finding.examples[:SHOWN]:
            print(f"    {text}")
        if len(finding.examples) > SHOWN:
            print(f"    and {len(finding.examples) - SHOWN} more")
