"""Reliability diagrams: of the rows with about the same score, how many are right (DeGroot and Fienberg 1983)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from grice.benchmarks.core.results import Cell, Table
from grice.benchmarks.stats.metrics import bin_of

HEADER = ("score", "rows", "mean score", "share true")
"""Of every reliability diagram; `grice report` knows them by it."""
BINS = 10
TITLE = "Reliability of "


def reliability(system: str, what: str, scores: ArrayLike, outcomes: ArrayLike, bins: int = BINS) -> Table:
    """Of each of `bins` equal parts of 0 to 1 that has rows: how many, their mean score, and how many outcomes are 1.

    Args:
        what: what a score says how likely it is.
        scores: in 0 to 1, of any shape.
        outcomes: the same shape, 0 or 1.
    """
    table, truth = np.asarray(scores, float), np.asarray(outcomes, float)
    places = bin_of(table, bins)
    rows: list[tuple[Cell, ...]] = []
    for place in np.unique(places):
        inside = places == place
        span = f"{place / bins:.1f} to {(place + 1) / bins:.1f}"
        rows.append((span, int(inside.sum()), round(float(table[inside].mean()), 3), round(float(truth[inside].mean()), 3)))
    return Table(f"{TITLE}{system}: {what}", HEADER, tuple(rows))


def is_reliability(table: Table) -> bool:
    """Whether a table is a reliability diagram."""
    return table.header == HEADER and table.title.startswith(TITLE)


def named(table: Table) -> tuple[str, str]:
    """The system of a reliability diagram, and what its scores say how likely it is."""
    system, _, what = table.title.removeprefix(TITLE).rpartition(": ")
    return system, what
