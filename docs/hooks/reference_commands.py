"""The help of every command, as the command line prints it."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import os
import re
from collections.abc import Iterator

from grice.middleware.cli import GROUP, main

WIDTH = "110"


def commands_page() -> str:
    """The help of every command and of those below it."""
    os.environ.update(COLUMNS=WIDTH, NO_COLOR="1")
    names = sorted(entry.name for entry in importlib.metadata.entry_points(group=GROUP))
    parts = [
        f"{'#' * (words.count(' ') + 2)} grice {words}\n\n```text\n{text}```\n" for name in names for words, text in _helps(name)
    ]
    return "\n".join(["# Commands\n", "`grice COMMAND --help` prints the same.\n", *parts])


def _helps(*words: str) -> Iterator[tuple[str, str]]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        main([*words, "--help"])
    text = printed.getvalue()
    yield " ".join(words), text
    for child in re.findall(r"^ {4}(\S+)", text, re.MULTILINE):
        yield from _helps(*words, child)
