"""Figures quoted in README, pages of `docs/` and model cards: marked in the text, and put there from `figures.json`.

    python -m grice.benchmarks.core.quotes README.md docs/*.md docs/*/*.md models/pretrained/*/README.md    # after new figures

A comment before a paragraph or table says what each of its numbers is, in reading order; in a list `<!-- /figures -->` ends it:

    <!-- figures rectom/{grice,majority}/belief/accuracy 95 n:rectom/grice/belief/accuracy -->

Braces stand for several keys. An interval in brackets and a number of rows in parentheses right behind a figure are its own and
are not named; elsewhere they are `n:KEY`, `low:KEY`, `high:KEY`. A number that is no figure of ours stands for itself. Each is
shown with as many decimals as it had.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from grice.benchmarks.core.figures import Figures
from grice.models.errors import DataCorrupt

MARKED = re.compile(r"(?P<mark><!-- figures\s(?P<keys>.*?)-->\n+)(?P<block>.*?)(?=\n\s*(?:\n|<!-- /figures -->)|\Z)", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.,−-])[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
_INTERVAL = re.compile(r"(?: %)? \[")
_ROWS = re.compile(r"\]?\**(?: %| ms)? \(")
_BRACES = re.compile(r"\{([^}]*)\}")
PARTS = ("n:", "low:", "high:")
"""Before a key: what is quoted of the figure in place of its value."""


def requote(text: str, figures: Figures) -> str:
    """`text` with every marked number as it is in `figures`.

    Raises:
        DataCorrupt: a block has not the numbers that its mark names. InputError: there is no such figure.
    """
    return MARKED.sub(lambda found: found["mark"] + _requote_block(found["block"], found["keys"], figures), text)


def unmarked(text: str) -> str:
    """What of `text` is in no marked block."""
    return MARKED.sub("", text)


def expand(entry: str) -> Iterator[str]:
    """The keys that an entry with braces stands for."""
    parts = _BRACES.split(entry)
    choices = [part.split(",") if place % 2 else [part] for place, part in enumerate(parts)]
    return ("".join(chosen) for chosen in itertools.product(*choices))


def _requote_block(block: str, entries: str, figures: Figures) -> str:
    numbers = list(NUMBER.finditer(block))
    shown: list[str] = []
    for key in (key for entry in entries.split() for key in expand(entry)):
        if len(shown) == len(numbers):
            raise DataCorrupt(f"figures: the mark goes on with {key}, the text has no more numbers: {block[:80]!r}")
        if NUMBER.fullmatch(key):
            shown.append(key)
            continue
        for value in _wanted(key, figures, block, numbers[len(shown) :]):
            if value is None:
                raise DataCorrupt(f"figures: {key} has no interval or number of rows, as the text has: {block[:80]!r}")
            shown.append(_worded(value, numbers[len(shown)].group()))
    if len(shown) < len(numbers):
        raise DataCorrupt(f"figures: {numbers[len(shown)].group()} is not named by the mark: {block[:80]!r}")
    for found, new in zip(reversed(numbers), reversed(shown), strict=True):
        block = block[: found.start()] + new + block[found.end() :]
    return block


def _wanted(key: str, figures: Figures, block: str, numbers: list[re.Match[str]]) -> list[float | int | None]:
    """What the first of `numbers` is, and those right behind it that belong to it: interval, number of rows."""
    part, bare = next(((part, key.removeprefix(part)) for part in PARTS if key.startswith(part)), ("", key))
    figure = figures.find(bare)
    if part:
        return [getattr(figure, part[:-1])]
    found: list[float | int | None] = [figure.value]
    if _joined(block, numbers, _INTERVAL):
        found += [figure.low, figure.high]
    behind = numbers[len(found) - 1 :]
    if _joined(block, behind, _ROWS) and block[behind[1].end() :].startswith(")"):
        found.append(figure.n)
    return found


def _joined(block: str, numbers: list[re.Match[str]], between: re.Pattern[str]) -> bool:
    """Whether nothing but `between` stands between the first two."""
    return len(numbers) > 1 and between.fullmatch(block[numbers[0].end() : numbers[1].start()]) is not None


def _worded(value: float | int, like: str) -> str:
    """A number with as many decimals as the one that stood there."""
    places = len(like.partition(".")[2])
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)  # as people round
    return f"{rounded:,}".replace("-", "−")


def main() -> None:
    """Put the figures into the files that are named."""
    figures = Figures.read()
    for path in map(Path, sys.argv[1:]):
        text = path.read_text(encoding="utf-8")
        new = requote(text, figures)
        print(f"{path}: {'as it was' if new == text else 'changed'}")
        path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
