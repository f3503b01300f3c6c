"""What a report is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.results import Report
from grice.benchmarks.llm import LlmRun, read_run, run_folders
from grice.models.errors import InputError


@dataclass(frozen=True)
class Inputs:
    """Runs by the path that they were read from.

    Attributes:
        reports: of files that `grice bench --out` wrote.
        llm_runs: of folders that `grice bench --llm-out` wrote.
    """

    reports: dict[str, Report]
    llm_runs: dict[str, LlmRun]


def read_inputs(paths: Sequence[Path]) -> Inputs:
    """Read files of results, folders of one run of a language model, and folders of such folders.

    Raises:
        InputError: a folder has no run in it.
        DataNotFound, DataCorrupt: a file or a folder cannot be used.
    """
    reports: dict[str, Report] = {}
    llm_runs: dict[str, LlmRun] = {}
    for path in paths:
        if not path.is_dir():
            reports[str(path)] = Report.read(path)
            continue
        folders = run_folders(path)
        if not folders:
            raise InputError("run", str(path), "a file of `grice bench --out`, or a folder of `grice bench --llm-out`")
        llm_runs.update((str(folder), read_run(folder)) for folder in folders)
    return Inputs(reports, llm_runs)
