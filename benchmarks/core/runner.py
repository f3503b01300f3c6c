"""Runs a benchmark and notes what has to be known to run it again."""

from __future__ import annotations

import dataclasses
import platform
import subprocess
import time
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from grice.benchmarks.core.benchmark import Benchmark, Options
from grice.benchmarks.core.results import Report, Run
from grice.models.data.files import existing
from grice.models.errors import InputError
from grice.models.manifest import sha256

COMMON = ("data_dir", "split", "systems", "limit", "seed")
PARTS = {"ours": "our test part", "all": "every row"}
PACKAGES = (
    "grice",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "sacrebleu",
    "scikit-learn",
    "scipy",
    "torch",
    "transformers",
    "ctranslate2",
    "openai",
)


def run(benchmark: Benchmark, options: Options, command: str) -> Report:
    """Run `benchmark`; `command` is the line that started it.

    Raises:
        InputError: a system or an option that this benchmark does not have.
        DataError, ModelError: data or a model cannot be used.
    """
    _check(benchmark, options)
    data = {
        f"{folder}/{path.name}": sha256(path)
        for folder, *names in benchmark.files
        for path in [existing(options.data_dir / folder, *names)]
    }
    started, clock = datetime.now(timezone.utc), time.perf_counter()
    sheet = benchmark.evaluate(options)
    described = Run(
        benchmark=benchmark.name,
        command=command,
        split=options.split,
        part=sheet.part or PARTS[options.split],
        drawn=sheet.drawn,
        seed=options.seed,
        limit=options.limit,
        n=len(sheet.groups),
        started=started.isoformat(timespec="seconds"),
        seconds=round(time.perf_counter() - clock, 1),
        git=_commit(),
        data={**data, **sheet.data},
        models=sheet.models,
        versions=versions(),
        options={**_own_options(benchmark, options), **sheet.settings},
        signatures=sheet.signatures,
        reasons=sheet.reasons,
        notes=tuple(sheet.notes),
        published=sheet.published,
        tables=tuple(sheet.tables),
    )
    return Report(described, tuple(sheet.results))


def _check(benchmark: Benchmark, options: Options) -> None:
    for system in options.systems:
        if not benchmark.has_system(system):
            raise InputError(f"system of benchmark {benchmark.name}", system, ", ".join(benchmark.systems))
    for field in dataclasses.fields(Options):
        given = getattr(options, field.name)
        if field.name not in (*COMMON, *benchmark.options) and given != field.default:
            raise InputError(f"option {field.name}", given, f"benchmark {benchmark.name} has only {', '.join(benchmark.options)}")


def _own_options(benchmark: Benchmark, options: Options) -> dict[str, Any]:
    values = {name: getattr(options, name) for name in ("systems", *benchmark.options)}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def versions() -> dict[str, str]:
    """Of Python, the machine and the packages that matter."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _commit() -> str | None:
    """The commit of the source tree this package runs from; None for an installed package."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        head, changes = (
            subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
            for command in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{head}+changes" if changes else head
