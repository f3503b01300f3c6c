"""`grice iur generate` and `grice iur test`."""

from __future__ import annotations

import argparse

from grice.benchmarks.iur import check, generate

HELP = "make indirect requests as a test set for a bot, and run the bot's NLU over it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both subcommands."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, module in (("generate", generate), ("test", check)):
        child = actions.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(child)
        child.set_defaults(act=module.run)


def run(args: argparse.Namespace) -> int:
    """Run one of them."""
    status: int = args.act(args)
    return status
