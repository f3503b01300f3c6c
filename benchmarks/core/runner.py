"""Runs a benchmark and notes what has to be known to run it again."""

from __future__ import annotations

import platform
import subprocess
import time
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from grice.benchmarks.core.benchmark import Benchmark, Taken
from grice.benchmarks.core.options import described
from grice.benchmarks.core.results import Report, Run
from grice.models.data.files import existing
from grice.models.manifest import sha256

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


def run(benchmark: Benchmark[Taken], options: Taken, command: str) -> Report:
    """Run `benchmark`; `command` is the line that started it.

    Raises:
        InputError: a system that this benchmark does not have.
        DataError, ModelError: data or a model cannot be used.
    """
    for name in options.systems:
        benchmark.systems.find(name)
    own = any(getattr(options, name, None) is not None for name in ("items", "bot"))  # in place of the data set
    data = {
        f"{folder}/{path.name}": sha256(path)
        for folder, *names in (() if own else benchmark.files)
        for path in [existing(options.data_dir / folder, *names)]
    }
    started, clock = datetime.now(timezone.utc), time.perf_counter()
    sheet = benchmark.evaluate(options)
    about = Run(
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
        options={**described(options), **sheet.settings},
        signatures=sheet.signatures,
        reasons=sheet.reasons,
        notes=tuple(sheet.notes),
        published=sheet.published,
        tables=tuple(sheet.tables),
        kinds={name: benchmark.systems.kind(name) for name in dict.fromkeys(each.system for each in sheet.results)},
    )
    return Report(about, tuple(sheet.results), sheet.draws)


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
