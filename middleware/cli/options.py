"""Options that several subcommands share."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from grice.middleware.schemas.formats import AUTO, FORMATS
from grice.middleware.settings import RUNTIME, PipelineSettings, add_options


def add_turn_options(parser: argparse.ArgumentParser) -> None:
    """The turn to look at and its history."""
    parser.add_argument(
        "text", nargs="?", help='the turn; without it, JSON lines {"text": …, "history": [{"speaker", "text"}]} are read'
    )
    parser.add_argument(
        "--history", type=Path, metavar="FILE", help='earlier turns, oldest first: lines "user: …" and "bot: …", or JSON'
    )


def add_json_option(parser: argparse.ArgumentParser, about: str = "print JSON") -> None:
    """Whether programs read what is printed."""
    parser.add_argument("--json", action="store_true", help=about)


def print_json(content: object) -> None:
    """Print what `--json` asks for; paths as their text."""
    print(json.dumps(content, ensure_ascii=False, indent=2, default=str))


def add_format_options(parser: argparse.ArgumentParser) -> None:
    """The format of a menu's file, and which services of it are read."""
    known = "; ".join(f"{name}: {each.title}" for name, each in FORMATS.items())
    parser.add_argument("--format", choices=[AUTO, *FORMATS], default=AUTO, help=f"auto reads it off the content; {known}")
    parser.add_argument("--services", nargs="+", default=(), metavar="NAME", help="of an SGD schema only these (default: all)")


def add_runtime_options(parser: argparse.ArgumentParser) -> None:
    """How models run: provider, threads, workers, precision. What is not given comes from the environment or the defaults."""
    add_options(parser, PipelineSettings, names=RUNTIME)
