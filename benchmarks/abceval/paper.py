"""The figures of the ABC-Eval paper: its Tables 3, 14 and 15."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grice.benchmarks.core.results import Published
from grice.models.results import Behavior

PAPER = Path(__file__).parent / "paper.json"


@dataclass(frozen=True)
class PaperRow:
    """One row of Table 14, of which Table 3 is a part.

    Attributes:
        system: which of our replays it is of; `model` is what the paper calls it.
        marks: daggers or stars at its accuracy.
        metrics: by the names of `abceval_metrics`.
    """

    label: Behavior
    system: str
    model: str
    marks: str
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Paper:
    """What the paper reports.

    Attributes:
        n: responses.
        table_3, table_14: the order of their behaviours.
        costs: US dollars per dialogue, by behaviour and system, in the order of Table 15.
    """

    source: str
    note: str
    n: int
    rows: tuple[PaperRow, ...]
    table_3: tuple[Behavior, ...]
    table_14: tuple[Behavior, ...]
    costs: Mapping[Behavior, Mapping[str, float]]

    def row(self, label: Behavior, system: str) -> PaperRow | None:
        """The row of a system, if the paper has it."""
        return next((row for row in self.rows if (row.label, row.system) == (label, system)), None)

    def published(self) -> tuple[Published, ...]:
        """Every figure of Table 14."""
        source = f"{self.source}, Tables 3 and 14"
        return tuple(
            Published(row.label, row.model, metric, value, self.n, source)
            for row in self.rows
            for metric, value in row.metrics.items()
        )


@cache
def paper() -> Paper:
    """The figures as they are printed."""
    content = json.loads(PAPER.read_text(encoding="utf-8"))
    return Paper(
        content["source"],
        content["note"],
        content["n"],
        tuple(PaperRow(**row) for row in content["rows"]),
        tuple(content["table_3"]),
        tuple(content["table_14"]),
        {row.pop("label"): row for row in content["table_15"]},
    )
