"""What a report shows of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from grice.benchmarks.core.figures import repeatable, sources_of
from grice.benchmarks.core.report import NOTHING
from grice.benchmarks.core.results import Published, Report, Result, Table
from grice.benchmarks.report import answers
from grice.benchmarks.report.differences import differences
from grice.benchmarks.report.inputs import Inputs, without_folders
from grice.benchmarks.report.shown import IN_PAPER, PAPER, PART_MARKS, Content, ShownFigure, ShownRun, ShownTask
from grice.benchmarks.stats.confusion import is_confusion
from grice.benchmarks.stats.reliability import is_reliability

NOT_STATED = "not stated"


def content_of(inputs: Inputs) -> Content:
    """Tasks with their figures, what language models answered, matrices and tables, and how the runs were made."""
    runs = [report.run for report in inputs.reports.values()]
    tables = [(label, table) for label, report in inputs.reports.items() for table in report.run.tables]
    several = Counter(run.benchmark for run in runs)
    repeated = {label: several[report.run.benchmark] > 1 for label, report in inputs.reports.items()}
    titled = [_titled(table, label if repeated[label] else "") for label, table in tables]
    matrices = [*filter(is_confusion, titled), *answers.matrices(inputs.llm_runs)]
    sources = [f"published: {row.source}" for run in runs for row in run.published]
    notes = [without_folders(note) for run in runs for note in run.notes]
    names = dict.fromkeys([*(run.benchmark for run in runs), *(str(run.settings["task"]) for run in inputs.llm_runs.values())])
    return Content(
        f"Grice: {', '.join(names)}",
        (*_tasks(inputs.reports), *answers.exact_matches(inputs.llm_runs)),
        differences(inputs.reports),
        _diagrams(inputs.reports, repeated),
        tuple(matrices),
        (*(table for table in titled if not is_confusion(table)), *answers.usage(inputs.llm_runs)),
        tuple(_made(inputs)),
        tuple(dict.fromkeys([*notes, *sources])),
    )


def _titled(table: Table, label: str) -> Table:
    """A table without paths, and with the label of its run where there are several of the benchmark."""
    rows = tuple(tuple(without_folders(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows)
    return Table(f"{table.title} ({label})" if label else table.title, table.header, rows)


def _diagrams(reports: Mapping[str, Report], repeated: Mapping[str, bool]) -> dict[str, tuple[Table, ...]]:
    """The reliability diagrams of each benchmark."""
    found: dict[str, tuple[Table, ...]] = {}
    for label, report in reports.items():
        here = tuple(_of_run(table, label, repeated[label]) for table in report.run.tables if is_reliability(table))
        found[report.run.benchmark] = (*found.get(report.run.benchmark, ()), *here)
    return found


def _of_run(table: Table, label: str, is_repeated: bool) -> Table:
    """A reliability diagram whose system is told apart from that of other runs."""
    if not is_repeated:
        return table
    start, _, what = table.title.rpartition(": ")
    return Table(f"{start} · {label}: {what}", table.header, table.rows)


def _tasks(reports: Mapping[str, Report]) -> Iterable[ShownTask]:
    """The same task of several runs is one, so that systems that were run apart stand together."""
    named = [(label, result) for label, report in reports.items() for result in report.results]
    repeated = Counter((result.benchmark, result.task, result.system, result.metric) for _, result in named)
    known = list(dict.fromkeys((result.benchmark, result.task) for _, result in named))
    for benchmark, task in known:
        ours = tuple(
            _figure(label, result, reports[label], repeated[benchmark, task, result.system, result.metric] > 1)
            for label, result in named
            if (result.benchmark, result.task) == (benchmark, task)
        )
        above = {task[:place] for place, letter in enumerate(task) if letter in PART_MARKS}
        yield ShownTask(
            benchmark, task, (*ours, *_papers(reports.values(), benchmark, task)), any((benchmark, each) in known for each in above)
        )


def _figure(label: str, result: Result, report: Report, is_repeated: bool) -> ShownFigure:
    run = report.run
    why = run.reasons.get(f"{result.task}/{result.system}", "") if result.value is None else ""
    kind = run.kinds.get(result.system, "ours")
    origin = sources_of(run).get(result.system, NOT_STATED)
    shown = f"{result.system} · {label}" if is_repeated else result.system
    values = (result.value, result.low, result.high, result.n, result.unscored)
    return ShownFigure(label, result.task, result.system, kind, origin, shown, result.metric, *values, why=without_folders(why))


def _papers(reports: Iterable[Report], benchmark: str, task: str) -> list[ShownFigure]:
    rows: Iterable[Published] = dict.fromkeys(
        row for report in reports if report.run.benchmark == benchmark for row in report.run.published if row.task == task
    )
    return [
        ShownFigure("", task, row.system, PAPER, PAPER, f"{row.system}{IN_PAPER}", row.metric, row.value, None, None, row.n, None)
        for row in rows
    ]


def _made(inputs: Inputs) -> Iterator[ShownRun]:
    """How every run was made."""
    for label, report in inputs.reports.items():
        run = report.run
        facts = {
            "command": repeatable(without_folders(run.command)),
            "rows": f"{run.n} ({run.part})",
            "seed": run.seed,
            "started": run.started,
            "seconds": run.seconds,
            "commit": run.git,
        }
        more = {"data": run.data, "models": run.models, "versions": run.versions, "metrics": run.signatures, "options": run.options}
        yield ShownRun(label, tuple(_flat({**facts, **more})))
    for label, llm_run in inputs.llm_runs.items():
        yield ShownRun(label, tuple(_flat(llm_run.settings)))


def _flat(facts: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """The facts, with those of facts below them; options that were not given are left out."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name} ")
        elif not (above and value in (None, [], (), "")):
            yield f"{above}{name}", NOTHING if value is None else _shown(str(value))


def _shown(value: str) -> str:
    """A fact without folders; one that is a path is its last name, whatever is in it."""
    return PurePath(value).name if value.startswith(("/", "~")) else without_folders(value)
