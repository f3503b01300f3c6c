"""The figures of the RecToM paper: its Tables 4 and 5, and those of Figure 3 that its text gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grice.benchmarks.core.results import Published
from grice.benchmarks.rectom.metrics import ACCURACY
from grice.models.minds.questions import Task

PAPER = Path(__file__).parent / "paper.json"


@dataclass(frozen=True)
class PaperRow:
    """What the paper says of a system on a task; `metrics` by the names of `rectom_metrics`."""

    task: Task
    system: str
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Paper:
    """What the paper reports.

    Attributes:
        people, chance: the systems that are no models.
        n: questions of each task.
    """

    source: str
    note: str
    people: str
    chance: str
    n: Mapping[Task, int]
    rows: tuple[PaperRow, ...]

    def published(self) -> tuple[Published, ...]:
        """Every figure."""
        return tuple(
            Published(row.task, row.system, metric, value, self.n[row.task], f"{self.source}, Tables 4 and 5, Figure 3")
            for row in self.rows
            for metric, value in row.metrics.items()
        )

    def accuracy(self, task: Task, system: str) -> float:
        """What Table 4 says of a system."""
        return next(row.metrics[ACCURACY] for row in self.rows if (row.task, row.system) == (task, system))

    def best_model(self, task: Task) -> PaperRow:
        """The row of the most accurate language model."""
        models = [row for row in self.rows if row.task == task and row.system not in (self.people, self.chance)]
        return max(models, key=lambda row: row.metrics[ACCURACY])


@cache
def paper() -> Paper:
    """The figures as they are printed."""
    content = json.loads(PAPER.read_text(encoding="utf-8"))
    return Paper(**{**content, "rows": tuple(PaperRow(**row) for row in content["rows"])})
