"""The runs that a report is made of, by labels that say nothing of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.results import Report
from grice.benchmarks.llm import LlmRun, read_run, run_folders
from grice.models.errors import InputError

_NAME = r"[^\s/\\'\",;:)\]}]"
_QUOTED = re.compile(r"'(?:~|[A-Za-z]:)?[/\\][^']*?([^/\\']*)'")
_ABSOLUTE = re.compile(rf"(?<![\w/:.~\\-])(?!/v1/)(?:~|[A-Za-z]:)?[/\\](?:{_NAME}+[/\\])*({_NAME}+)[/\\]?")


@dataclass(frozen=True)
class Inputs:
    """Runs by their labels.

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
    reports: dict[Path, Report] = {}
    llm_runs: dict[Path, LlmRun] = {}
    for path in paths:
        if not path.is_dir():
            reports[path] = Report.read(path)
            continue
        folders = run_folders(path)
        if not folders:
            raise InputError("run", str(path), "a file of `grice bench --out`, or a folder of `grice bench --llm-out`")
        llm_runs.update((folder, read_run(folder)) for folder in folders)
    names = labels([*reports, *llm_runs])
    return Inputs({names[path]: each for path, each in reports.items()}, {names[path]: each for path, each in llm_runs.items()})


def labels(paths: Iterable[Path]) -> dict[Path, str]:
    """A label for each path: the name of its file or folder; with as many folders before it as tell it from the others."""
    wanted = list(dict.fromkeys(paths))
    found: dict[Path, str] = {}
    for path in wanted:
        parts, others = _parts(path), [_parts(other) for other in wanted if other != path]
        length = next((k for k in range(1, len(parts)) if all(other[-k:] != parts[-k:] for other in others)), len(parts))
        found[path] = "/".join(parts[-length:])
    return found


def _parts(path: Path) -> tuple[str, ...]:
    named = path.absolute()
    return (*named.parent.parts[1:], named.stem if named.suffix == ".json" else named.name)


def without_folders(text: str) -> str:
    """A text with the last name only of every absolute path: a report says nothing of the machine that it was made on."""
    return _ABSOLUTE.sub(r"\1", _QUOTED.sub(r"\1", text))
