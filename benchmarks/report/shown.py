"""What a report shows, whatever it is written in: figures in a plot, a table and Markdown in the same words."""

from __future__ import annotations

from dataclasses import dataclass

from grice.benchmarks.core.report import NOT_SCORED, NOTHING, figure, interval
from grice.benchmarks.core.results import Table


@dataclass(frozen=True)
class Bar:
    """One system's figure.

    Attributes:
        value: None where it could not be scored; `why` says why.
        low, high: the 95 % interval; None where there is none.
        n: rows that were scored.
        unscored: rows that were not; None: not known.
        is_published: a paper's figure.
    """

    system: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int | None
    is_published: bool = False
    why: str = ""


@dataclass(frozen=True)
class ShownMetric:
    """One metric of one task, for every system."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Section:
    """A task, or what else is shown together."""

    title: str
    figures: tuple[ShownMetric, ...] = ()
    matrices: tuple[Table, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Content:
    """A whole report.

    Attributes:
        notes: what a reader should know, and the papers that are quoted.
    """

    title: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]


HEADER = ("system", "value", "95 % interval", "n", "unscored")


def value_text(bar: Bar) -> str:
    """A value with its interval, short."""
    return interval(bar, between=" to ")


def table_of(shown: ShownMetric) -> Table:
    """The table that stands beside a plot."""
    rows = tuple(
        (bar.system, _value(bar), _interval(bar), bar.n, NOTHING if bar.unscored is None else bar.unscored) for bar in shown.bars
    )
    return Table(shown.title, HEADER, rows)


def _value(bar: Bar) -> str:
    if bar.value is None:
        return f"{NOT_SCORED}: {bar.why}" if bar.why else NOT_SCORED
    return figure(bar.value)


def _interval(bar: Bar) -> str:
    return NOTHING if bar.low is None or bar.high is None else f"{figure(bar.low)} to {figure(bar.high)}"
