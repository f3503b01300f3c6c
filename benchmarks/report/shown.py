"""What a report shows, whatever it is written in."""

from __future__ import annotations

from dataclasses import dataclass

from grice.benchmarks.core.results import Table

NOTHING = "–"
"""Stands where there is nothing to say."""


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
class Figure:
    """One metric of one task, for every system."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Section:
    """A task, or what else is shown together."""

    title: str
    figures: tuple[Figure, ...] = ()
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
