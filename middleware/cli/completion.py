"""`grice completion`: what a shell has to run so that Tab completes commands and options."""

from __future__ import annotations

import argparse

from grice.models.errors import MissingExtra

HELP = "print what makes Tab complete commands and options in a shell"
SHELLS = ("bash", "zsh", "fish", "powershell")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = 'bash, in ~/.bashrc: eval "$(grice completion bash)"; fish: grice completion fish | source'
    parser.add_argument("shell", choices=SHELLS, help="which shell")


def run(args: argparse.Namespace) -> int:
    """Print it.

    Raises:
        MissingExtra: argcomplete is not installed.
    """
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError as error:
        raise MissingExtra("argcomplete", "completion") from error
    print(shellcode(["grice"], shell=args.shell))
    return 0
