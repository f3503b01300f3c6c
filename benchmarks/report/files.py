"""A report as Markdown, as LaTeX tables, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from grice.benchmarks.core.results import Table
from grice.benchmarks.report.shown import Content, Difference, ShownFigure
from grice.benchmarks.report.tables import difference_table, run_tables, summary, task_table
from grice.benchmarks.stats.directions import better

FIGURES = (
    "benchmark",
    "task",
    "run",
    "system",
    "kind",
    "origin",
    "metric",
    "better",
    "value",
    "low",
    "high",
    "n",
    "unscored",
    "why",
)
DIFFERENCES = ("benchmark", "task", "system", "metric", "better", "first", "other", "value", "low", "high", "n")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "→": r"$\rightarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "●": r"$\bullet$",
    "■": r"$\blacksquare$",
    "▲": r"$\blacktriangle$",
    "┃": r"$\vert$",
    "◇": r"$\diamond$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def markdown(content: Content) -> str:
    """Summary, all figures, differences, and how the runs were made."""
    parts = [f"# {_line(content.title)}", "## Summary", *map(_piped, summary(content))]
    parts += ["## Figures", *(_piped(task_table(task)) for task in content.tasks)]
    if content.differences:
        parts += ["## Differences", *map(_piped, _differences(content))]
    parts += ["## Tables", *map(_piped, (*content.matrices, *content.tables))] if content.matrices or content.tables else []
    parts += ["## How the runs were made", *map(_piped, run_tables(content))]
    return "\n\n".join([*parts, *(["\n".join(f"- {_line(note)}" for note in content.notes)] if content.notes else [])]) + "\n"


def latex(content: Content) -> str:
    """Tables for `\\input`, in the style of booktabs; they need the packages booktabs and amssymb."""
    tables = [*summary(content), *(task_table(task) for task in content.tasks), *_differences(content)]
    return "% needs \\usepackage{booktabs,amssymb}\n\n" + "\n\n".join(map(_tabular, tables)) + "\n"


def figures_csv(content: Content) -> str:
    """Every figure, a row each."""
    return _csv(FIGURES, (_facts(each, benchmark=task.benchmark) for task in content.tasks for each in task.figures))


def differences_csv(content: Content) -> str:
    """Every difference between two runs, a row each; without an interval where the two are not paired."""
    return _csv(DIFFERENCES, (_facts(each) for each in content.differences))


def _facts(figure: ShownFigure | Difference, **more: str) -> dict[str, Any]:
    return {**asdict(figure), "better": better(figure.metric), **more}


def _differences(content: Content) -> list[Table]:
    names = dict.fromkeys(each.benchmark for each in content.differences)
    return [
        difference_table(f"{name}: differences between runs", (each for each in content.differences if each.benchmark == name))
        for name in names
    ]


def _csv(header: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, header, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _piped(table: Table) -> str:
    lines = (table.header, ("---",) * len(table.header), *table.rows)
    piped = "\n".join(f"| {' | '.join(_line(str(cell)) for cell in line)} |" for line in lines)
    return f"### {_line(table.title)}\n\n{piped}"


def _line(text: str) -> str:
    """One line that is no markup."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _tabular(table: Table) -> str:
    columns = "".join("l" if place == 0 else "r" for place in range(len(table.header)))
    head, *rows = ((" & ".join(_escaped(str(cell)) for cell in row) + r" \\") for row in (table.header, *table.rows))
    lines = [r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    body = "\n".join(lines)
    begin = f"\\begin{{table}}\n\\centering\\small\n\\caption{{{_escaped(table.title)}}}\n\\begin{{tabular}}{{{columns}}}"
    return f"{begin}\n{body}\n\\end{{tabular}}\n\\end{{table}}"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))
