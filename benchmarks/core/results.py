"""What a benchmark run gives: one shape for every benchmark."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grice.models.errors import DataCorrupt, DataNotFound


@dataclass(frozen=True)
class Result:
    """One figure.

    Attributes:
        value: None where nothing could be scored; the run's `reasons` say why.
        low, high: the 95 % interval (bootstrap by dialogue); None where there is none.
        n: rows that were scored.
        unscored: rows that were not.
    """

    benchmark: str
    task: str
    system: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int = 0

    @classmethod
    def none(cls, benchmark: str, task: str, system: str, metric: str, unscored: int) -> Result:
        """A figure that could not be had for any of `unscored` rows."""
        return cls(benchmark, task, system, metric, None, None, None, 0, unscored)


@dataclass(frozen=True)
class Published:
    """A figure that a paper reports, for orientation."""

    task: str
    system: str
    metric: str
    value: float
    n: int
    source: str


def draws_key(result: Result) -> str:
    """The key of a figure's draws."""
    return f"{result.system}/{result.task}/{result.metric}"


Cell = str | int | float


@dataclass(frozen=True)
class Table:
    """More than one figure a row: a reliability diagram, shares of decisions."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Draws:
    """What the bootstrap drew for one figure, so that two runs over the same rows can be compared in pairs.

    Attributes:
        rows: as `rows_drawn` says; two figures with the same one are paired draw by draw.
        values: shape (draws,), the figure of each draw; NaN where it is undefined.
    """

    rows: str
    values: NDArray[np.float32]

    @classmethod
    def read(cls, entry: Mapping[str, str]) -> Draws:
        """What `entry` wrote."""
        return cls(entry["rows"], np.frombuffer(base64.b64decode(entry["values"]), "<f4").astype(np.float32))

    @property
    def entry(self) -> dict[str, str]:
        """As JSON: little-endian floats of 4 bytes in base64."""
        return {"rows": self.rows, "values": base64.b64encode(self.values.astype("<f4").tobytes()).decode()}


@dataclass(frozen=True)
class Run:
    """What has to be known to repeat a run.

    Attributes:
        part: which rows of the data, in words.
        drawn: what the bootstrap drew.
        data: sha256 of every data file that was read, by its path below the data folder.
        models: sha256 of the manifest of every model that was used, by the model's name.
        versions: of Python and of the packages that matter.
        options: of the command, after defaults.
        signatures: of metrics that have one.
        reasons: "task/system" to why it was not scored.
        notes: what a reader of the tables should know.
        published: figures of papers, for orientation.
        tables: what does not fit one figure a row.
        kinds: of every system: ours, floor, replay, rival, llm.
        git: the commit, with "+changes" where the tree differs; None outside a repository.
    """

    benchmark: str
    command: str
    split: str
    part: str
    seed: int
    limit: int | None
    n: int
    started: str
    seconds: float
    git: str | None
    data: dict[str, str]
    models: dict[str, str]
    versions: dict[str, str]
    options: dict[str, Any]
    signatures: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    tables: tuple[Table, ...] = ()
    drawn: str = "dialogue"
    kinds: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A run and its results.

    Attributes:
        draws: what the bootstrap drew, by `draws_key`.
    """

    run: Run
    results: tuple[Result, ...]
    draws: Mapping[str, Draws] = field(default_factory=dict, compare=False, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """`{"run": {…}, "results": […]}`, as JSON values without the draws."""
        return {"run": asdict(self.run), "results": [asdict(result) for result in self.results]}

    def write(self, path: Path) -> None:
        """Write `{"run": {…}, "results": […]}` as JSON; the draws are in `run`."""
        content = self.as_dict()
        content["run"]["draws"] = {name: each.entry for name, each in self.draws.items()}
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Report:
        """The report that `write` wrote.

        Raises:
            DataNotFound: there is no such file.
            DataCorrupt: it is something else.
        """
        try:
            content = json.loads(path.read_bytes())
            run, results = content["run"], tuple(Result(**result) for result in content["results"])
            published = tuple(Published(**row) for row in run.get("published", ()))
            tables = tuple(
                Table(table["title"], tuple(table["header"]), tuple(map(tuple, table["rows"]))) for table in run.get("tables", ())
            )
            for figure in (
                *(value for each in results for value in (each.value, each.low, each.high)),
                *(row.value for row in published),
            ):
                if figure is not None and not isinstance(figure, (int, float)):
                    raise TypeError(f"{figure!r} is no figure")
            rest = {"notes": tuple(run.get("notes", ())), "reasons": dict(run.get("reasons", {}))}
            draws = {name: Draws.read(entry) for name, entry in run.pop("draws", {}).items()}
            return cls(Run(**{**run, **rest, "published": published, "tables": tables}), results, draws)
        except OSError as error:
            raise DataNotFound(f"{path}: {error.strerror}; give a file that `grice bench --out` wrote") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataCorrupt(f"{path}: not what `grice bench --out` writes ({type(error).__name__}: {error})") from error
