"""A run on disk: `run.json` and one JSON line a sample, from which every figure can be computed again."""

from __future__ import annotations

import hashlib
import json
import urllib.parse
from pathlib import Path

from grice.benchmarks.llm.run import LlmRun
from grice.benchmarks.llm.sample import Sample
from grice.models.errors import DataCorrupt, DataNotFound, InputError

RUN_FILE = "run.json"
SAMPLES_FILE = "samples.jsonl"
FORMAT = 1
OWNER_ONLY = 0o700
"""The samples hold the conversations of the data."""


def folder_of(task: str, model: str) -> str:
    """The name of a run's folder; no two runs have the same."""
    return "--".join(urllib.parse.quote(part, safe="") for part in (task, model))


def opened_folder(parent: Path, name: str) -> Path:
    """The folder `name` in `parent`, made if it is not there, so that a place that cannot be written is found before it costs.

    Raises:
        InputError: it cannot be made there.
    """
    folder = parent / name
    try:
        folder.mkdir(OWNER_ONLY, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("--llm-out", str(parent), f"a folder that can be written ({error.strerror})") from error
    return folder


def write_run(run: LlmRun, folder: Path) -> None:
    """Write a run, in place of an earlier one.

    Raises:
        DataNotFound: it cannot be written.
    """
    lines = "".join(json.dumps(sample.record(), ensure_ascii=False) + "\n" for sample in run.samples).encode()
    counts = {"n": len(run.samples), "unparsable": run.count("unparsable"), "unanswered": run.count("unanswered")}
    described = {"format": FORMAT, "settings": run.settings, **counts, "samples_sha256": hashlib.sha256(lines).hexdigest()}
    head = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
    try:
        (folder / RUN_FILE).unlink(missing_ok=True)  # a run that is half written is none
        (folder / SAMPLES_FILE).write_bytes(lines)
        (folder / RUN_FILE).write_text(head, encoding="utf-8")
    except OSError as error:
        raise DataNotFound(f"{folder}: {error.strerror}; make room for it and run again: all answers are remembered") from error


def read_run(folder: Path) -> LlmRun:
    """The run that `write_run` wrote.

    Raises:
        DataNotFound: there is none.
        DataCorrupt: it is damaged.
    """
    try:
        head = (folder / RUN_FILE).read_bytes()
        lines = (folder / SAMPLES_FILE).read_bytes()
    except OSError as error:
        raise DataNotFound(f"{folder}: {error.strerror}: {error.filename}; give a folder that --llm-out wrote") from error
    try:
        described = json.loads(head)
        if described["format"] != FORMAT:
            raise ValueError(f"format {described['format']!r}, not {FORMAT}")
        if described["samples_sha256"] != hashlib.sha256(lines).hexdigest():
            raise ValueError(f"{SAMPLES_FILE} differs from what was written")
        samples = tuple(Sample.of_record(json.loads(line)) for line in lines.splitlines())
        return LlmRun(samples, dict(described["settings"]))
    except (ValueError, TypeError, KeyError) as error:
        raise DataCorrupt(
            f"{folder}: no run of a language model ({type(error).__name__}: {error}); run the benchmark again"
        ) from error


def run_folders(folder: Path) -> list[Path]:
    """`folder` if it is a run's, or the runs in it, by name."""
    return [path.parent for path in sorted((*folder.glob(RUN_FILE), *folder.glob(f"*/{RUN_FILE}")))]
