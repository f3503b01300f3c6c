"""The rows of DIRECT that a benchmark scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.options import Options
from grice.models.data import direct
from grice.models.data.direct import Triple
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import DataNotFound, InputError

FILES = (("direct", "test.csv"), ("multiwoz21", "test.json.zip", "test.json"))
"""What is read, folder first."""
FORMS = ("original", "direct", "indirect")
"""The three wordings of a user turn, as `Triple` names them."""


@dataclass(frozen=True)
class HeldOut:
    """`rows` to score, and how many others cannot be given to any system (blank or unreadable text)."""

    rows: tuple[Triple, ...]
    unscored: int

    @property
    def groups(self) -> list[str]:
        """The dialogue of every row."""
        return [row.dialogue_id for row in self.rows]


def held_out(options: Options, limit: int | None = None) -> HeldOut:
    """The rows of DIRECT's test file that the options ask for, in file order; `limit` where they say none.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged, or it holds no row of that split.
    """
    found = direct.read(options.data_dir, parts=["test"] if options.split == "ours" else None)[: options.limit or limit]
    if not found:
        raise DataNotFound(f"{options.data_dir}: no row of DIRECT in split {options.split}; --split all takes every row")
    return _usable(found)


def second_split(options: Options) -> HeldOut | None:
    """The rows of our dev part, which no model has learnt from either; None where `held_out` has them, or there are none.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged.
    """
    found = direct.read(options.data_dir, parts=["dev"])[: options.limit] if options.split == "ours" else []
    return _usable(found) if found else None


def dev_rows(data_dir: Path) -> list[Triple]:
    """The rows of our dev part, on which everything is chosen: what is scored is never looked at for it.

    Raises:
        DataNotFound, DataCorrupt: a file is missing or damaged, or it holds no such row.
    """
    found = direct.read(data_dir, parts=["dev"])
    if not found:
        raise DataNotFound(f"{data_dir}: no row of DIRECT in our dev part")
    return found


def dialogues(rows: Sequence[Triple], form: str) -> list[Dialogue]:
    """Each row as a dialogue that ends in its `form` ("original", "direct" or "indirect")."""
    return [Dialogue((*row.history, Turn("user", text_of(row, form)))) for row in rows]


def text_of(row: Triple, form: str) -> str:
    """One wording of a row."""
    text: str = getattr(row, form)
    return text


def _usable(rows: Sequence[Triple]) -> HeldOut:
    usable = tuple(row for row in rows if _readable(row))
    return HeldOut(usable, len(rows) - len(usable))


def _readable(row: Triple) -> bool:
    try:
        for form in FORMS:
            Turn("user", text_of(row, form))
    except InputError:
        return False
    return True
