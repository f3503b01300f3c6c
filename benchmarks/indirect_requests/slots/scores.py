"""How many answers are right: over a task, and by kind of turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grice.benchmarks.core.report import interval
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.stats import metrics
from grice.benchmarks.stats.bootstrap import estimate

Verdicts = Sequence[bool | None]
"""For each row whether the system is right; None where it is not scored."""
Kinds = Mapping[str, Sequence[bool]]
"""For each kind of row which rows are of it."""


def add_accuracy(sheet: Sheet, task: str, system: str, verdicts: Verdicts, groups: Sequence[str]) -> None:
    """Add the share of right answers among those that are scored."""
    scored = [(verdict, group) for verdict, group in zip(verdicts, groups, strict=True) if verdict is not None]
    measure = metrics.mean([verdict for verdict, _ in scored])
    sheet.add_defined(task, system, {"accuracy": measure}, [group for _, group in scored], len(verdicts) - len(scored))


def by_kind(title: str, found: Mapping[str, Verdicts], groups: Sequence[str], kinds: Kinds, seed: int) -> Table:
    """One row a kind that has rows: how many, and each system's accuracy with its 95 % interval."""
    rows: list[tuple[Cell, ...]] = []
    for kind, members in kinds.items():
        if any(members):
            cells = [_cell(verdicts, groups, members, seed) for verdicts in found.values()]
            rows.append((kind, sum(members), len({group for group, member in zip(groups, members, strict=True) if member}), *cells))
    return Table(title, ("kind", "n", "drawn by bootstrap", *found), tuple(rows))


def _cell(verdicts: Verdicts, groups: Sequence[str], members: Sequence[bool], seed: int) -> str:
    rows = zip(verdicts, groups, members, strict=True)
    inside = [(verdict, group) for verdict, group, member in rows if member and verdict is not None]
    return interval(estimate(metrics.mean([verdict for verdict, _ in inside]), [group for _, group in inside], seed))
