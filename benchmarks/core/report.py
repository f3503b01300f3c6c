"""A report for people: one table a task, our rows, the floors and the papers' rows side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from grice.benchmarks.core.results import Published, Report, Result, Table

NOT_SCORED = "not scored"
NOTHING = "–"
"""Stands where there is nothing to say."""


@dataclass(frozen=True)
class _Grid:
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def text(report: Report) -> str:
    """The report for a terminal."""
    return _document(report, heading=lambda title: title, draw=_aligned)


def markdown(report: Report) -> str:
    """The report in Markdown, with the command that repeats it."""
    head = f"# Benchmark {report.run.benchmark}\n\n`{report.run.command}`\n\n"
    return head + _document(report, heading=lambda title: f"## {title}", draw=_piped)


def table_text(table: Table) -> str:
    """One table for a terminal, without its title."""
    return _aligned(_plain(table))


def _document(report: Report, heading: Callable[[str], str], draw: Callable[[_Grid], str]) -> str:
    grids = [*_tasks(report), *map(_plain, report.run.tables)]
    parts = [f"{heading(grid.title)}\n\n{draw(grid)}" for grid in grids]
    notes = "\n".join(f"- {note}" for note in _notes(report))
    return "\n\n".join([*parts, notes]) + "\n"


def _tasks(report: Report) -> list[_Grid]:
    grids = []
    for task in dict.fromkeys(result.task for result in report.results):
        ours = [result for result in report.results if result.task == task]
        papers = [row for row in report.run.published if row.task == task]
        metrics = list(dict.fromkeys(result.metric for result in ours))
        rows = [_row(name, [result for result in ours if result.system == name], metrics) for name in _names(ours)]
        rows += [_paper_row(name, [row for row in papers if row.system == name], metrics) for name in _names(papers)]
        grids.append(_Grid(f"{report.run.benchmark}: {task}", ("system", *metrics, "n", "unscored"), tuple(rows)))
    return grids


def _names(rows: Sequence[Result] | Sequence[Published]) -> list[str]:
    return list(dict.fromkeys(row.system for row in rows))


def _row(system: str, results: Sequence[Result], metrics: Sequence[str]) -> tuple[str, ...]:
    cells = {result.metric: interval(result) for result in results}
    counts = (str(max(result.n for result in results)), str(max(result.unscored for result in results)))
    return (system, *(cells.get(metric, "") for metric in metrics), *counts)


def _paper_row(system: str, rows: Sequence[Published], metrics: Sequence[str]) -> tuple[str, ...]:
    cells = {row.metric: figure(row.value) for row in rows}
    return (f"published: {system}", *(cells.get(metric, "") for metric in metrics), str(rows[0].n), "")


class Interval(Protocol):
    """A figure with its 95 % interval."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def interval(found: Interval, digits: int | None = None, nothing: str = NOT_SCORED, between: str = ", ") -> str:
    """A figure with its interval in brackets, if it has one; `digits` behind the point, None: as many as are worth reading."""
    if found.value is None:
        return nothing
    value, edges = figure(found.value, digits), [figure(edge, digits) for edge in (found.low, found.high) if edge is not None]
    return f"{value} [{between.join(edges)}]" if len(edges) == 2 else value


def figure(value: float, digits: int | None = None) -> str:
    """A figure, with as many digits as are worth reading if they are not given."""
    places = digits if digits is not None else 3 if abs(value) < 1 else 2
    return f"{value:.{places}f}"


def _plain(table: Table) -> _Grid:
    return _Grid(table.title, table.header, tuple(tuple(map(str, row)) for row in table.rows))


def _notes(report: Report) -> list[str]:
    run = report.run
    notes = [f"{run.n} rows ({run.part}), seed {run.seed}, {run.seconds} s. In brackets: 95 % interval, bootstrap by {run.drawn}."]
    notes += [f"{metric}: {signature}" for metric, signature in run.signatures.items()]
    notes += [f"{NOT_SCORED}: {', '.join(places)}: {reason}" for reason, places in _places(run.reasons).items()]
    notes += list(dict.fromkeys(f"published: {row.source}" for row in run.published))
    return [*notes, *run.notes]


def _places(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    """The places of each reason, so that it is said once."""
    found: dict[str, list[str]] = {}
    for place, reason in reasons.items():
        found.setdefault(reason, []).append(place)
    return found


def _aligned(grid: _Grid) -> str:
    lines = [grid.header, *grid.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(grid.header))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def _piped(grid: _Grid) -> str:
    lines = [grid.header, tuple("---" for _ in grid.header), *grid.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
