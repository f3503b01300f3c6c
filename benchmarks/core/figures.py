"""`figures.json`: the figures that README, documentation and model cards quote, with what has to be known of each.

`grice bench NAME --figures benchmarks/figures.json` puts a run's figures there, in place of those of an earlier run. A run says its
command, rows, date, the hashes of its weights and of its stored folds, and where the figures of each system come from: run live,
replayed from stored folds or from published outputs, or taken by an earlier run that is only quoted. A key is
`BENCHMARK/SYSTEM/TASK/METRIC`; `paper:SYSTEM` are the rows of the benchmark's `paper.json`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.benchmarks.core.benchmark import BENCHMARKS
from grice.benchmarks.core.paper import read_paper
from grice.benchmarks.core.results import Report, Run
from grice.models.errors import DataCorrupt, InputError
from grice.models.manifest import PRETRAINED, read_manifest, shipped

FILE = Path(__file__).parents[1] / "figures.json"
SOURCES = {"ours": "live", "rival": "live", "floor": "floor", "replay": "published outputs", "llm": "language model"}
STORED, EARLIER = "stored folds", "earlier run"
PAPER = "paper:"


@dataclass(frozen=True)
class Figure:
    """A figure over `n` rows with its 95 % interval, if it has one."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True)
class FiguresRun:
    """Figures of one run, by `SYSTEM/TASK/METRIC`.

    Attributes:
        part: which rows these are.
        weights: sha256 of the files of every shipped model that was used, by its name.
        folds: sha256 of the stored folds; None where none were used.
        sources: where the figures of each system come from.
    """

    command: str
    part: str
    date: str
    weights: Mapping[str, Mapping[str, str]]
    folds: str | None
    sources: Mapping[str, str]
    figures: Mapping[str, Figure]


class Figures:
    """All runs, by benchmark."""

    def __init__(self, runs: Mapping[str, FiguresRun]) -> None:
        self.runs = dict(runs)

    @classmethod
    def read(cls, path: Path = FILE) -> Figures:
        """What `write` wrote; nothing where there is no file.

        Raises:
            DataCorrupt: it is something else.
        """
        try:
            content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            return cls({name: _run(entry) for name, entry in content.items()})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataCorrupt(
                f"{path}: no figures ({type(error).__name__}: {error}); `grice bench NAME --figures` writes them"
            ) from error

    def write(self, path: Path) -> None:
        """Write them, a figure a line."""
        runs = ",\n".join(f'"{name}": {_lines(run)}' for name, run in sorted(self.runs.items()))
        path.write_text(f"{{\n{runs}\n}}\n", encoding="utf-8")

    def find(self, key: str) -> Figure:
        """One figure.

        Raises:
            InputError: there is none of that key.
        """
        name, _, rest = key.partition("/")
        if rest.startswith(PAPER):
            return _published(name, rest.removeprefix(PAPER), key)
        if name not in self.runs or rest not in self.runs[name].figures:
            known = self.runs[name].figures if name in self.runs else self.runs
            raise InputError("figure", key, ", ".join(known))
        return self.runs[name].figures[rest]


def run_of(report: Report) -> FiguresRun:
    """The figures of a whole run.

    Raises:
        InputError: it is not whole: only some systems were run.
    """
    run = report.run
    if run.options["systems"]:
        raise InputError("--figures", f"--system {' '.join(run.options['systems'])}", "a run of all systems")
    found = {
        f"{slug(each.system)}/{slug(each.task)}/{slug(each.metric)}": Figure(each.value, each.low, each.high, each.n)
        for each in report.results
        if each.value is not None
    }
    sources = {slug(name): source for name, source in sources_of(run).items()}
    weights = {name: files for model in run.models if model in shipped() for name, files in weights_of(model).items()}
    return FiguresRun(repeatable(run.command), run.part, run.started[:10], weights, run.options.get("folds_sha256"), sources, found)


def sources_of(run: Run) -> dict[str, str]:
    """Where the figures of each system come from."""
    stored = bool(run.options.get("folds_sha256"))
    return {name: STORED if stored and kind == "ours" else SOURCES[kind] for name, kind in run.kinds.items()}


def weights_of(model: str) -> dict[str, dict[str, str]]:
    """The sha256 of the files of a shipped model, and of the encoder that it reads."""
    manifest = read_manifest(PRETRAINED / model)
    encoder = manifest.settings.get("encoder")
    ours = {model: {name: str(facts["sha256"]) for name, facts in manifest.files.items()}}
    return {**ours, **({encoder["name"]: dict(encoder["files"])} if encoder else {})}


def slug(name: str) -> str:
    """A name without spaces and commas."""
    return re.sub(r"[^\w!+.:-]+", "-", name)


def repeatable(line: str) -> str:
    """The command without the files that it wrote or kept, and without the data folder."""
    return re.sub(r" --(out|markdown|figures|data-dir|work|readings) \S+", "", line)


def _published(name: str, rest: str, key: str) -> Figure:
    rows = read_paper(FILE.parent / BENCHMARKS[name][0].partition(".")[0] / "paper.json").rows if name in BENCHMARKS else ()
    known = {
        f"{slug(row.system)}/{slug(row.task)}/{metric}": (value, row.n) for row in rows for metric, value in row.metrics.items()
    }
    if rest not in known:
        raise InputError("figure", key, ", ".join(f"{name}/{PAPER}{each}" for each in known))
    return Figure(known[rest][0], n=known[rest][1])


def _run(entry: Mapping[str, Any]) -> FiguresRun:
    return FiguresRun(**{**entry, "figures": {key: Figure(**each) for key, each in entry["figures"].items()}})


def _lines(run: FiguresRun) -> str:
    facts = {field.name: getattr(run, field.name) for field in dataclasses.fields(run) if field.name != "figures"}
    head = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items())
    rows = (
        (key, {name: value for name, value in dataclasses.asdict(each).items() if value is not None})
        for key, each in run.figures.items()
    )
    figures = ",\n".join(f"    {json.dumps(key)}: {json.dumps(each)}" for key, each in rows)
    return f'{{\n{head},\n  "figures": {{\n{figures}\n  }}\n}}'
