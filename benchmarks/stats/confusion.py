"""Which label was taken for which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grice.benchmarks.core.results import Cell, Table

CORNER = "gold \\ predicted"
"""The first cell of every confusion matrix; `grice report` knows them by it."""
NOTHING = "(no prediction)"


def confusion(title: str, gold: Sequence[str], predicted: Sequence[str | None], labels: Sequence[str] | None = None) -> Table:
    """Counts of gold (rows) against predicted labels (columns); a last column counts rows without prediction, if there are any.

    Args:
        labels: in the order of rows and columns; None: all that occur, sorted.
    """
    order = list(labels) if labels is not None else sorted({*gold, *(label for label in predicted if label is not None)})
    counts = Counter(zip(gold, (NOTHING if label is None else label for label in predicted), strict=True))
    columns = [*order, NOTHING] if None in predicted else order
    rows: tuple[tuple[Cell, ...], ...] = tuple((label, *(counts[label, column] for column in columns)) for label in order)
    return Table(title, (CORNER, *columns), rows)


def is_confusion(table: Table) -> bool:
    """Whether a table is a confusion matrix."""
    return table.header[:1] == (CORNER,)
