"""The figures that a paper reports: `paper.json` in a benchmark's folder, in one shape for all.

File: `{"source": …, "note": …, "rows": [{"task", "system", "n", "source": the table, "metrics": {metric: value}}, …]}`. A row may
say more (`about`), and so may the file (`more`), for what a benchmark prints in the paper's own layout.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from grice.benchmarks.core.results import Published


@dataclass(frozen=True)
class PaperRow:
    """What is said of a system on a task; `metrics` by the names that ours have."""

    task: str
    system: str
    n: int
    source: str
    metrics: Mapping[str, float]
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Paper:
    """What a paper reports; `note` says how its figures compare with ours."""

    source: str
    note: str
    rows: tuple[PaperRow, ...]
    more: Mapping[str, Any] = field(default_factory=dict)

    def published(self, tasks: tuple[str, ...] = ()) -> tuple[Published, ...]:
        """Every figure, or those of `tasks`."""
        return tuple(
            Published(row.task, row.system, metric, value, row.n, f"{self.source}, {row.source}" if self.source else row.source)
            for row in self.rows
            for metric, value in row.metrics.items()
            if not tasks or row.task in tasks
        )

    def value(self, task: str, system: str, metric: str) -> float:
        """One figure."""
        return next(row.metrics[metric] for row in self.rows if (row.task, row.system) == (task, system))


@cache
def read_paper(path: Path) -> Paper:
    """The figures as they are printed."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Paper(**{**content, "rows": tuple(PaperRow(**row) for row in content["rows"])})
