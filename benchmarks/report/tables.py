"""The tables of a report: the same on the page, in Markdown, in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grice.benchmarks.core.report import NOT_SCORED, NOTHING, figure, interval
from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.report.shown import (
    FLOOR,
    ORIGINS,
    PAPER,
    Content,
    Difference,
    ShownFigure,
    ShownTask,
    best,
    metric_text,
)

OURS = "grice"
SUMMARY = ("task", "metric", "ours", "best floor", "best other", "best paper", "n")
DIFFERENCES = ("task", "system", "metric", "first", "other", "difference", "95 % interval", "differs")


def summary(content: Content) -> tuple[Table, ...]:
    """A table a benchmark: of every task ours, the best floor, the best other system and the best of the papers' rows, as far as
    there are any; a metric or a number of rows that all tasks share stands in the title."""
    return tuple(_summary(name, [task for task in tasks if not task.is_part]) for name, tasks in content.benchmarks.items())


def _summary(name: str, tasks: Sequence[ShownTask]) -> Table:
    rows = [_summary_row(task) for task in tasks]
    metrics, counts = ({row[SUMMARY.index(column)] for row in rows} for column in ("metric", "n"))
    same = {"metric"} if len(metrics) == 1 else set()
    same |= {"n"} if len(counts) == 1 else set()
    said = [*(map(str, metrics) if "metric" in same else ()), *(f"n = {each}" for each in counts if "n" in same)]
    kept = [place for place, column in enumerate(SUMMARY) if column not in same and any(row[place] != NOTHING for row in rows)]
    header, body = tuple(SUMMARY[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in rows)
    return Table(", ".join([name, *said]), header, body)


def _summary_row(task: ShownTask) -> tuple[Cell, ...]:
    metric = task.headline
    figures = task.of(metric)
    ours = [each for each in figures if each.kind == "ours"]
    shipped = next((each for each in ours if each.system == OURS and each.value is not None), None)
    first = shipped or best(ours, metric)
    others = [each for each in figures if each.kind in ("rival", "replay", "llm")]
    columns = (
        _ours(first),
        *(
            _named(best(rows, metric))
            for rows in ((each for each in figures if each.kind == FLOOR), others, (each for each in figures if each.kind == PAPER))
        ),
    )
    return (task.task, metric_text(metric), *columns, max((each.n for each in figures if each.kind != PAPER), default=0))


def _ours(found: ShownFigure | None) -> str:
    if found is None:
        return NOT_SCORED
    return interval(found) + ("" if found.system == OURS else f" {found.system}")


def _named(found: ShownFigure | None) -> str:
    return NOTHING if found is None or found.value is None else f"{figure(found.value)} {found.system}"


def task_table(task: ShownTask) -> Table:
    """All metrics of a task: a row a system, with the sign of where its figures come from."""
    metrics = task.metrics
    rows: list[tuple[Cell, ...]] = []
    for label in dict.fromkeys(each.label for metric in (task.headline, *metrics) for each in task.of(metric)):
        here = {each.metric: each for each in task.figures if each.label == label}
        if not set(here) & set(metrics):
            continue
        any_of = next(iter(here.values()))
        counts = [each.unscored for each in here.values() if each.unscored is not None]
        cells = (_cell(here.get(metric)) for metric in metrics)
        signed = f"{ORIGINS[any_of.origin]} {label}"
        rows.append((signed, *cells, max(each.n for each in here.values()), max(counts) if counts else NOTHING))
    return Table(task.title, ("system", *map(metric_text, metrics), "n", "unscored"), tuple(rows))


def _cell(found: ShownFigure | None) -> str:
    if found is None:
        return ""
    if found.value is None:
        return f"{NOT_SCORED}: {found.why}" if found.why else NOT_SCORED
    return interval(found, between=" to ")


def difference_table(title: str, found: Iterable[Difference]) -> Table:
    """Differences with the interval of the pairs; `differs` where it does not hold 0."""
    return Table(title, DIFFERENCES, tuple(map(_difference_row, found)))


def _difference_row(each: Difference) -> tuple[Cell, ...]:
    named = (each.task, each.system, metric_text(each.metric), each.first, each.other, f"{each.value:+.2f}")
    if each.low is None or each.high is None:
        return (*named, "not paired: other rows, or a run without stored draws", NOTHING)
    return (*named, f"{each.low:+.2f} to {each.high:+.2f}", "yes" if each.low > 0 or each.high < 0 else "no")


def headlines(content: Content, benchmark: str) -> list[Difference]:
    """The differences in the headline metrics of a benchmark's tasks."""
    wanted = {(task.task, task.headline) for task in content.tasks if task.benchmark == benchmark and not task.is_part}
    return [each for each in content.differences if each.benchmark == benchmark and (each.task, each.metric) in wanted]


def run_tables(content: Content) -> list[Table]:
    """How every run was made."""
    return [Table(run.label, ("what", "value"), run.facts) for run in content.runs]
