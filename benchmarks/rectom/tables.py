"""RecToM at a glance: the accuracy of every system on every task, beside the paper's best model and people."""

from __future__ import annotations

from collections.abc import Sequence

from grice.benchmarks.core.results import Result, Table
from grice.benchmarks.rectom.metrics import ACCURACY
from grice.benchmarks.rectom.paper import paper
from grice.models.minds.questions import TASKS, Task

NOTHING = "–"


def at_a_glance(results: Sequence[Result], systems: Sequence[str]) -> Table:
    """One row a task, of its accuracies in percent."""
    values = {(result.task, result.system): result.value for result in results if result.metric == ACCURACY}
    header = ("task", *systems, "best model of Table 4", "people")
    rows = tuple((task, *(_cell(values[task, name]) for name in systems), _best(task), _people(task)) for task in TASKS)
    return Table("Table 4 of the paper, and ours: accuracy", header, rows)


def _cell(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"


def _best(task: Task) -> str:
    row = paper().best_model(task)
    return f"{_cell(row.metrics[ACCURACY])} {row.system}"


def _people(task: Task) -> str:
    return _cell(paper().accuracy(task, paper().people))
