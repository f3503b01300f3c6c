"""What is shown on a terminal: colours, where they are wanted, and what is being waited for."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}


class Paint:
    """Colours text; `paint("late", "red", "bold")`.

    Args:
        wanted: False: text stays as it is.
    """

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted

    def __call__(self, text: str, *styles: str) -> str:
        if not self.wanted or not text:
            return text
        return f"\033[{';'.join(STYLES[style] for style in styles)}m{text}\033[0m"


def paint_for(stream: TextIO | None = None, environment: Mapping[str, str] | None = None) -> Paint:
    """Colours for a terminal, and none elsewhere, nor where `NO_COLOR` is not empty (no-color.org) or `TERM` is `dumb`."""
    known = os.environ if environment is None else environment
    shown = sys.stdout if stream is None else stream
    return Paint(shown.isatty() and not known.get("NO_COLOR") and known.get("TERM") != "dumb")


def hint(text: str) -> None:
    """Tell on a terminal what is being waited for; elsewhere nobody waits."""
    if sys.stdin.isatty():
        print(paint_for(sys.stderr)(text, "dim"), file=sys.stderr)
