"""What a report is made of, and what it shows of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.benchmarks.core.report import NOTHING
from grice.benchmarks.core.results import Cell, Published, Report, Result, Table
from grice.benchmarks.llm import LlmRun, read_run, run_folders
from grice.benchmarks.report import answers
from grice.benchmarks.report.shown import Bar, Content, Section, ShownMetric
from grice.benchmarks.stats.confusion import is_confusion
from grice.models.errors import InputError


@dataclass(frozen=True)
class Inputs:
    """Runs by the path that they were read from.

    Attributes:
        reports: of files that `grice bench --out` wrote.
        llm_runs: of folders that `grice bench --llm-out` wrote.
    """

    reports: dict[str, Report]
    llm_runs: dict[str, LlmRun]


def read_inputs(paths: Sequence[Path]) -> Inputs:
    """Read files of results, folders of one run of a language model, and folders of such folders.

    Raises:
        InputError: a folder has no run in it.
        DataNotFound, DataCorrupt: a file or a folder cannot be used.
    """
    reports: dict[str, Report] = {}
    llm_runs: dict[str, LlmRun] = {}
    for path in paths:
        if not path.is_dir():
            reports[str(path)] = Report.read(path)
            continue
        folders = run_folders(path)
        if not folders:
            raise InputError("run", str(path), "a file of `grice bench --out`, or a folder of `grice bench --llm-out`")
        llm_runs.update((str(folder), read_run(folder)) for folder in folders)
    return Inputs(reports, llm_runs)


def content_of(inputs: Inputs) -> Content:
    """Tasks with their figures, what language models answered, matrices and tables, and how the runs were made."""
    runs = [report.run for report in inputs.reports.values()]
    names = dict.fromkeys([*(run.benchmark for run in runs), *(str(run.settings["task"]) for run in inputs.llm_runs.values())])
    tables = [table for run in runs for table in run.tables]
    matrices = [*filter(is_confusion, tables), *answers.matrices(inputs.llm_runs)]
    sections = (
        *_tasks(inputs.reports),
        Section("Language models", answers.exact_matches(inputs.llm_runs), tables=answers.usage(inputs.llm_runs)),
        Section("Confusion matrices", matrices=tuple(matrices)),
        Section("Tables", tables=tuple(table for table in tables if not is_confusion(table))),
        Section("How the runs were made", tables=(Table("Runs", ("run", "what", "value"), tuple(_made(inputs))),)),
    )
    sources = [f"published: {row.source}" for run in runs for row in run.published]
    notes = [note for run in runs for note in run.notes]
    shown = tuple(section for section in sections if section.figures or section.matrices or section.tables)
    return Content(f"Grice: {', '.join(names)}", shown, tuple(dict.fromkeys([*notes, *sources])))


def _tasks(reports: dict[str, Report]) -> Iterable[Section]:
    """A section a task; the same task of several files is one, so that systems that were run apart stand together."""
    named = [(path, result) for path, report in reports.items() for result in report.results]
    repeated = Counter((result.benchmark, result.task, result.system, result.metric) for _, result in named)
    for benchmark, task in dict.fromkeys((result.benchmark, result.task) for _, result in named):
        here = [(path, result) for path, result in named if (result.benchmark, result.task) == (benchmark, task)]
        figures = []
        for metric in dict.fromkeys(result.metric for _, result in here):
            bars = [
                _bar(result, f" ({path})" if repeated[benchmark, task, result.system, metric] > 1 else "", reports[path])
                for path, result in here
                if result.metric == metric
            ]
            figures.append(ShownMetric(f"{benchmark}, {task}: {metric}", (*bars, *_published(reports, benchmark, task, metric))))
        yield Section(f"{benchmark}: {task}", tuple(figures))


def _bar(result: Result, suffix: str, report: Report) -> Bar:
    why = report.run.reasons.get(f"{result.task}/{result.system}", "") if result.value is None else ""
    interval = (result.low, result.high)
    return Bar(f"{result.system}{suffix}", result.value, *interval, result.n, result.unscored, why=why)


def _published(reports: dict[str, Report], benchmark: str, task: str, metric: str) -> list[Bar]:
    rows: Iterable[Published] = dict.fromkeys(
        row
        for report in reports.values()
        if report.run.benchmark == benchmark
        for row in report.run.published
        if (row.task, row.metric) == (task, metric)
    )
    return [Bar(f"published: {row.system}", row.value, None, None, row.n, None, is_published=True) for row in rows]


def _made(inputs: Inputs) -> Iterator[tuple[Cell, ...]]:
    """How every run was made: run, what, value."""
    for path, report in inputs.reports.items():
        run = report.run
        facts = {
            "command": run.command,
            "rows": f"{run.n} ({run.part})",
            "seed": run.seed,
            "started": run.started,
            "commit": run.git,
        }
        more = {"data": run.data, "models": run.models, "versions": run.versions, "metrics": run.signatures}
        yield from ((path, name, value) for name, value in _flat({**facts, **more}))
    for path, llm_run in inputs.llm_runs.items():
        yield from ((path, name, value) for name, value in _flat(llm_run.settings))


def _flat(facts: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """The facts, with those of facts below them."""
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name} ")
        else:
            yield f"{above}{name}", NOTHING if value is None else str(value)
