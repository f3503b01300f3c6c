# PYTHON_ARGCOMPLETE_OK
"""The `grice` command. Every subcommand is a module with `HELP`, `add_arguments(parser)` and `run(args) -> exit status`.

Subcommands are found as entry points of the group `grice.commands`, so other subpackages, and other distributions, add theirs
without being imported from here.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from grice.middleware.settings import check_variables
from grice.models.errors import GriceError

GROUP = "grice.commands"


class Defaults(argparse.HelpFormatter):
    """Help that tells the default of each option, where the option does not tell it itself."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text = action.help
        takes_value = bool(action.option_strings) and action.nargs != 0
        if text is None or not takes_value or "default" in text or action.required:
            return text
        default = action.default if action.default not in (None, (), []) else "none"
        return f"{text} (default: {str(default).replace('%', '%%')})"


class Parser(argparse.ArgumentParser):
    """A parser whose help, and that of its subcommands, tells defaults."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"formatter_class": Defaults, **kwargs})


class Command(Protocol):
    """What a subcommand's module has. One with `TAKES_ANY_VARIABLES = True` runs whatever the environment holds."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


def command_parser(kind: type[Parser] = Parser) -> Parser:
    """The parser of the whole command line; it and those of the commands are of `kind`."""
    parser = kind(prog="grice", description="Say what was meant: conversational middleware.")
    parser.add_argument("--version", action="version", version=f"grice {importlib.metadata.version('grice')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        command: Command = entry.load()
        child = commands.add_parser(entry.name, help=command.HELP, description=command.HELP)
        command.add_arguments(child)
        child.set_defaults(run=command.run, checks=not getattr(command, "TAKES_ANY_VARIABLES", False))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand. A mistake of the user's is one line on standard error and status 2, without a traceback."""
    parser = command_parser()
    _complete(parser)
    args = parser.parse_args(arguments)
    try:
        if args.checks:
            check_variables(os.environ)
        status: int = args.run(args)
        return status
    except GriceError as error:
        print(f"grice {args.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"grice {args.command}: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe went away; keep the interpreter from complaining at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell that asks how a line goes on, and end; `grice completion` makes it ask."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)
