"""What a benchmark is: rows that are held out, systems looked up by name, and figures for every task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from grice.benchmarks.core.results import Published, Result, Table
from grice.benchmarks.stats.bootstrap import estimate
from grice.benchmarks.stats.metrics import Measure
from grice.models.errors import DataError, InputError, ModelError
from grice.models.manifest import FILE, sha256

Split = Literal["ours", "all"]
Weights = Literal["folds", "shipped"]
Requests = Literal["auto", "official", "ours"]
System = TypeVar("System")

SPLITS: tuple[str, ...] = get_args(Split)
WEIGHTS: tuple[str, ...] = get_args(Weights)
REQUESTS: tuple[str, ...] = get_args(Requests)
LLM_OPTIONS = (
    *("llm_url", "llm_cache", "llm_price_in", "llm_price_out", "llm_workers", "llm_rpm", "llm_timeout_s"),
    *("llm_temperature", "llm_max_tokens", "llm_omit", "llm_batch", "llm_out"),
)
"""The options of benchmarks that ask a language model."""


@dataclass(frozen=True)
class Options:
    """What the command line asks for.

    Attributes:
        data_dir: the folder that holds one folder a data set.
        split: `ours` (our own test part) or `all` (every row, for data that nobody trained on).
        systems: which to run; empty means the benchmark's own choice.
        limit: the first so many rows; None means the benchmark's own choice.
        seed: of the bootstrap, and of a language model's sampling; 0 or more.
        beams: of the rewriter, 1 to 16.
        threads: of every system, 1 to 64.
        rewriter, directness, behaviors, mind, intentions: a shipped model's name or the folder of an exported one.
        checkpoint: folder of the trained rewriter, as transformers saves it.
        rounds: how often speed is taken.
        rasa_python: the interpreter of an environment with Rasa and grice.
        work: where models that a benchmark trains are kept, and Rasa's cache.
        requests: whose indirect requests: `official`, `ours`, or `auto`: the official ones if all their files are there.
        resolver: a shipped slot-value resolver's name or the folder of an exported one.
        weights: `folds` (the stored predictions of the cross-validation) or `shipped` (the shipped model, for held-back data).
        tasks: which to run; empty means the benchmark's own choice.
        annotations: file of dialogues with annotated intentions; None: the benchmark's own dialogues.
        llm_url: base URL of an OpenAI-compatible server.
        llm_window: turns of context that the language model reads, the newest, at least 1; None: all.
        llm_pairing: for behaviours about an earlier turn, it reads one earlier turn at a time.
        llm_cache: file that remembers its answers, so that a run that was interrupted goes on; None: none.
        llm_price_in, llm_price_out: US dollars per million tokens that it reads and writes; None: not known.
        llm_workers: questions that are asked side by side, 1 to 64.
        llm_rpm: requests a minute, at most; None: without limit.
        llm_timeout_s: seconds that one request may take.
        llm_temperature, llm_max_tokens: of its answers; None: as the benchmark's paper had them.
        llm_omit: of `temperature` and `seed`, what the server refuses, so that it is not sent.
        llm_batch: ask through OpenAI's batch API.
        llm_out: folder for its samples, one folder a task and model, which hold its answers too where there is no `llm_cache`.

    Raises:
        InputError: a value is out of range.
    """

    data_dir: Path
    split: Split = "ours"
    systems: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    beams: int = 1
    threads: int = 1
    rewriter: str = "rewriter"
    directness: str = "directness"
    checkpoint: Path = Path("runs/rewriter/model")
    rounds: int = 3
    rasa_python: Path = Path(".venv-rasa/bin/python")
    work: Path = Path("runs/rasa-nlu")
    behaviors: str = "behaviors"
    mind: str = "mind"
    intentions: str = "intentions"
    tasks: tuple[str, ...] = ()
    annotations: Path | None = None
    weights: Weights = "folds"
    requests: Requests = "auto"
    resolver: str = "slot_values"
    llm_url: str | None = None
    llm_window: int | None = None
    llm_pairing: bool = False
    llm_cache: Path | None = None
    llm_price_in: float | None = None
    llm_price_out: float | None = None
    llm_workers: int = 4
    llm_rpm: float | None = None
    llm_timeout_s: float = 60.0
    llm_temperature: float | None = None
    llm_max_tokens: int | None = None
    llm_omit: tuple[str, ...] = ()
    llm_batch: bool = False
    llm_out: Path | None = None

    def __post_init__(self) -> None:
        for name, choices in (("split", SPLITS), ("weights", WEIGHTS), ("requests", REQUESTS)):
            if getattr(self, name) not in choices:
                raise InputError(name, getattr(self, name), ", ".join(choices))
        for name, low, high in (
            ("limit", 1, 10**9),
            ("seed", 0, 2**32 - 1),
            ("beams", 1, 16),
            ("threads", 1, 64),
            ("rounds", 1, 1000),
            ("llm_window", 1, 1000),
            ("llm_price_in", 0, 10**6),
            ("llm_price_out", 0, 10**6),
            ("llm_workers", 1, 64),
            ("llm_rpm", 1, 10**6),
            ("llm_timeout_s", 0.001, 3600),
            ("llm_temperature", 0, 2),
            ("llm_max_tokens", 1, 10**6),
        ):
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise InputError(name, value, f"{low} to {high}")


@dataclass
class Sheet:
    """Collects the figures of one benchmark over the same rows.

    Attributes:
        groups: the dialogue of every row.
        unscored: rows that no system could be given.
        part: which rows of the data these are, in words; empty: what the split says.
        drawn: what the bootstrap draws.
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

    def add(
        self,
        task: str,
        system: str,
        metric: str,
        measure: Measure,
        groups: Sequence[str] | None = None,
        unscored: int | None = None,
    ) -> None:
        """Add one figure; `groups` and `unscored` where the measure's rows are not the sheet's."""
        found = estimate(measure, self.groups if groups is None else groups, self.seed)
        left_out = self.unscored if unscored is None else self.unscored + unscored
        self.results.append(Result.of(self.benchmark, task, system, metric, found, left_out))

    def add_defined(
        self, task: str, system: str, measures: Mapping[str, Measure], groups: Sequence[str], unscored: int = 0
    ) -> None:
        """Add every figure that has a value, and say of the others that there is none."""
        undefined = [metric for metric, measure in measures.items() if np.isnan(measure.value)]
        for metric, measure in measures.items():
            if metric not in undefined:
                self.add(task, system, metric, measure, groups, unscored)
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


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    Attributes:
        name: on the command line.
        about: one line for the help.
        systems: all systems by name; `default_systems` are run when none is asked for. A name such as `openai:MODEL` stands for
            every name with that beginning.
        files: the data files that are read: folder, then the names that a file may have.
        options: names of the options of `Options` that only some benchmarks know.
        evaluate: runs it.
    """

    name: str
    about: str
    systems: tuple[str, ...]
    default_systems: tuple[str, ...]
    files: tuple[tuple[str, ...], ...]
    options: tuple[str, ...]
    evaluate: Callable[[Options], Sheet]

    def has_system(self, name: str) -> bool:
        """Whether there is a system of that name."""
        family, colon, member = name.partition(":")
        families = {known.partition(":")[0] for known in self.systems if ":" in known}
        return (family in families and bool(member)) if colon else name in self.systems


def opened(systems: Iterable[str], options: Options, load: Callable[[str], System]) -> tuple[dict[str, System], dict[str, str]]:
    """The systems that can be loaded, by name, and why the others cannot.

    Raises:
        ModelError, DataError: a system that was asked for by name cannot be loaded.
    """
    ready: dict[str, System] = {}
    reasons: dict[str, str] = {}
    for name in systems:
        try:
            ready[name] = load(name)
        except (ModelError, DataError, ImportError) as error:
            if name in options.systems:
                raise
            reasons[name] = str(error)
    return ready, reasons
