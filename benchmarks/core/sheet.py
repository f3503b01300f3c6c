"""The figures of one benchmark over the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grice.benchmarks.core.results import Draws, Published, Result, Table, draws_key
from grice.benchmarks.stats.bootstrap import estimate, rows_drawn
from grice.benchmarks.stats.metrics import Measure
from grice.models.manifest import FILE, sha256


@dataclass(frozen=True)
class ScoredRows:
    """The rows of a figure, where they are not the sheet's.

    Attributes:
        groups: the dialogue of every row that was scored.
        unscored: rows that were not, beside those of the sheet.
    """

    groups: Sequence[str]
    unscored: int = 0


@dataclass
class Sheet:
    """Collects the figures of one benchmark over the same rows.

    Attributes:
        groups: the dialogue of every row.
        unscored: rows that no system could be given.
        part: which rows of the data these are, in words; empty: what the split says.
        drawn: what the bootstrap draws.
        draws: what it drew, by `draws_key`.
        data: sha256 of data files that are read beside those of `Benchmark.files`, by their path below the data folder.
        models: sha256 of the manifest of every model used, by name.
        settings: of the systems, beyond the options.
        notes: what a reader of the tables should know.
    """

    benchmark: str
    groups: Sequence[str]
    seed: int
    unscored: int = 0
    part: str = ""
    drawn: str = "dialogue"
    results: list[Result] = field(default_factory=list)
    signatures: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    draws: dict[str, Draws] = field(default_factory=dict)

    def add(self, task: str, system: str, metric: str, measure: Measure, rows: ScoredRows | None = None) -> None:
        """Add one figure; `rows` where the measure's are not the sheet's."""
        scored = rows or ScoredRows(self.groups)
        found = estimate(measure, scored.groups, self.seed)
        figures = (found.value, found.low, found.high, found.n)
        result = Result(self.benchmark, task, system, metric, *figures, self.unscored + scored.unscored)
        self.results.append(result)
        if found.draws is not None:
            self.draws[draws_key(result)] = Draws(rows_drawn(scored.groups, self.seed), found.draws.astype(np.float32))

    def add_defined(
        self, task: str, system: str, measures: Mapping[str, Measure], groups: Sequence[str], unscored: int = 0
    ) -> None:
        """Add every figure that has a value, and say of the others that there is none."""
        undefined = [metric for metric, measure in measures.items() if np.isnan(measure.value)]
        for metric, measure in measures.items():
            if metric not in undefined:
                self.add(task, system, metric, measure, ScoredRows(groups, unscored))
        if undefined:
            reason = f"nothing to divide by in {', '.join(undefined)}"
            self.add_unscored(task, system, undefined, reason, len(groups) + unscored)

    def add_unscored(self, task: str, system: str, metrics: Iterable[str], reason: str, rows: int | None = None) -> None:
        """Say that `system` could not be scored on `task`, and why; `rows` where the task's are not the sheet's."""
        self.reasons[f"{task}/{system}"] = reason
        left_out = self.unscored + (len(self.groups) if rows is None else rows)
        self.results += [Result.none(self.benchmark, task, system, metric, left_out) for metric in metrics]

    def add_model(self, model: object) -> None:
        """Note the checksum of a shipped or exported model; other systems have no manifest."""
        manifest = getattr(model, "manifest", None)
        if manifest is not None:
            self.models[manifest.name] = sha256(manifest.folder / FILE)
