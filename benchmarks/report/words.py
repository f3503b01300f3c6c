"""Figures in words, the same in a plot, a table and Markdown."""

from __future__ import annotations

from grice.benchmarks.core.report import NOT_SCORED, figure
from grice.benchmarks.core.results import Table
from grice.benchmarks.report.shown import NOTHING, Bar, Figure

HEADER = ("system", "value", "95 % interval", "n", "unscored")


def value_text(bar: Bar) -> str:
    """A value with its interval, short."""
    if bar.value is None:
        return NOT_SCORED
    return figure(bar.value) if bar.low is None else f"{figure(bar.value)} [{_interval(bar)}]"


def table_of(shown: Figure) -> Table:
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
