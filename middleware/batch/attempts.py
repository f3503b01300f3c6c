"""Finds the row that ends the process that scores it.

A part that several processes died of is gone through row by row, each row noted before it is scored. A row that is still noted
twice has ended two processes; it is set apart, and the others are scored as ever. What was not the row's fault, a machine that
went away, costs one more pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from grice.middleware.batch.parts import LoggedRow

DEATHS_OF_A_PART = 2
DEATHS_OF_A_ROW = 2
REASON = "the process that scored this row died, each time"


class Attempts:
    """The notes about one part, in a file beside its results.

    Args:
        path: the file that the part will have.
    """

    def __init__(self, path: Path) -> None:
        self._tries = path.with_suffix(".tries")
        self._rows = path.with_suffix(".rows")

    def begin(self) -> int:
        """Note that the part is begun; how often it had been before."""
        self._tries.parent.mkdir(parents=True, exist_ok=True)
        with self._tries.open("ab") as file:
            before = file.tell()
            file.write(b".")
        return before

    def without_fatal(self, rows: Sequence[LoggedRow], score: Callable[[Sequence[LoggedRow]], object]) -> list[LoggedRow]:
        """The rows, those that end the process with a reason to set them apart."""
        died = Counter(self._noted())
        found = []
        for row in rows:
            if died[row.number] >= DEATHS_OF_A_ROW:
                found.append(replace(row, dialogue=None, reason=REASON))
                continue
            noted = self._noted()
            self._write([*noted, row.number])
            score([row])
            self._write(noted)
            found.append(row)
        return found

    def end(self) -> None:
        """Forget the notes: the part is written."""
        self._tries.unlink(missing_ok=True)
        self._rows.unlink(missing_ok=True)

    def _noted(self) -> list[int]:
        return [int(line) for line in self._rows.read_text().split()] if self._rows.exists() else []

    def _write(self, numbers: Sequence[int]) -> None:
        self._rows.write_text("\n".join(map(str, numbers)))
