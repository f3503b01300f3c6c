"""What a report shows, whatever it is written in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from grice.benchmarks.core.results import Table
from grice.benchmarks.stats.directions import better

ORIGINS = {
    "live": "●",
    "stored folds": "■",
    "published outputs": "■",
    "language model": "▲",
    "floor": "┃",
    "paper": "◇",
    "not stated": "●",
}
"""Where a figure comes from, and its sign in charts; a square is a replay."""
PAPER, FLOOR = "paper", "floor"
IN_PAPER = " (paper)"
"""Behind a system whose figure a paper reports, so that it is not taken for one of a run."""
ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}
PART_MARKS = ("/", ",")
"""What stands between a task and a part of it."""


@dataclass(frozen=True)
class ShownFigure:
    """One figure.

    Attributes:
        run: the label of its run; empty for a paper's.
        kind: ours, floor, replay, rival, llm, paper.
        origin: one of `ORIGINS`.
        label: its system, told apart from the same system of other runs.
        value: None where it could not be scored; `why` says why.
        low, high: the 95 % interval; None where there is none.
        unscored: rows that were not scored; None: not known.
    """

    run: str
    task: str
    system: str
    kind: str
    origin: str
    label: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int | None
    why: str = ""


@dataclass(frozen=True)
class ShownTask:
    """All figures of a task, of whatever run.

    Attributes:
        is_part: of another task of the benchmark.
    """

    benchmark: str
    task: str
    figures: tuple[ShownFigure, ...]
    is_part: bool = False

    @property
    def title(self) -> str:
        """Benchmark and task."""
        return f"{self.benchmark}: {self.task}"

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the runs, as the benchmark orders them."""
        return tuple(dict.fromkeys(each.metric for each in self.figures if each.kind != PAPER))

    @property
    def headline(self) -> str:
        """The metric of the chart: the first one of which it is known which way is better."""
        return next((metric for metric in self.metrics if better(metric) != "neither"), self.metrics[0])

    def of(self, metric: str) -> tuple[ShownFigure, ...]:
        """The figures of one metric: ours, replays and models, floors, papers."""
        order = ("ours", "rival", "llm", "replay", "floor", "paper")
        return tuple(sorted((each for each in self.figures if each.metric == metric), key=lambda each: order.index(each.kind)))


@dataclass(frozen=True)
class Difference:
    """How much another run's figure differs from the first one's.

    Attributes:
        value: of `other` minus of `first`.
        low, high: the 95 % interval of the paired difference; None where the rows are not the same, or no draws are stored.
    """

    benchmark: str
    task: str
    system: str
    metric: str
    first: str
    other: str
    value: float
    low: float | None
    high: float | None
    n: int

    @property
    def paired(self) -> bool:
        """Whether the interval is there."""
        return self.low is not None


@dataclass(frozen=True)
class ShownRun:
    """One run: its label, and how it was made, as what and value."""

    label: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Content:
    """A whole report.

    Attributes:
        reliabilities: diagrams by benchmark.
        matrices, tables: of all runs.
        notes: what a reader should know, and the papers that are quoted.
    """

    title: str
    tasks: tuple[ShownTask, ...]
    differences: tuple[Difference, ...]
    reliabilities: dict[str, tuple[Table, ...]]
    matrices: tuple[Table, ...]
    tables: tuple[Table, ...]
    runs: tuple[ShownRun, ...]
    notes: tuple[str, ...]

    @property
    def benchmarks(self) -> dict[str, tuple[ShownTask, ...]]:
        """The tasks of every benchmark."""
        names = dict.fromkeys(task.benchmark for task in self.tasks)
        return {name: tuple(task for task in self.tasks if task.benchmark == name) for name in names}


def best(figures: Iterable[ShownFigure], metric: str) -> ShownFigure | None:
    """The figure that is best by `metric`; the first one where no way is better."""
    scored = [each for each in figures if each.value is not None]
    if not scored or better(metric) == "neither":
        return scored[0] if scored else None
    sign = 1 if better(metric) == "higher" else -1
    return max(scored, key=lambda each: sign * (each.value or 0.0))


def metric_text(metric: str) -> str:
    """A metric with an arrow that says which way is better."""
    return f"{metric} {ARROWS[better(metric)]}".strip()
