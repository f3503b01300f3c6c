"""What is to be found in which turns, and where it is written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import PipelineSettings
from grice.models.dialogue import Speaker
from grice.models.errors import InputError
from grice.models.manifest import FILE, PRETRAINED, sha256, shipped

Turns = Literal["all", "last"]
LONGEST_STAGE_MS = 600_000
MAX_BATCH = 1024
MAX_PART_ROWS = 100_000


@dataclass(frozen=True)
class BatchTask:
    """What one capability finds in a logged dialogue.

    Attributes:
        speaker: whose turns it looks at, each with the turns before it; None: it looks once, at the whole dialogue.
        needs: the capabilities that have to be loaded with it.
    """

    speaker: Speaker | None
    needs: tuple[str, ...] = ()


TASKS: Mapping[str, BatchTask] = {
    "responses": BatchTask("bot"),
    "turns": BatchTask("user", CAPABILITIES["turns"].needs),
    "directness": BatchTask("user"),
    "intentions": BatchTask(None),
}
"""What can be found without a menu, by the name of the capability."""


def _batch_pipeline() -> PipelineSettings:
    return PipelineSettings(threads=1, workers=1, deadline_ms=LONGEST_STAGE_MS, on_error="raise")


@dataclass(frozen=True)
class BatchJob:
    """A whole run. It goes to every actor, so it holds names and settings, no models.

    Models run on one thread and take a batch in one part, whatever the machine is: results do not depend on it. No stage is given
    up because it is late.

    Attributes:
        tasks: names of `TASKS`.
        out: the folder that is written to; one that all machines see, where there are several.
        turns: `all` that a task looks at, or only the `last` turn of each dialogue, if it is one of them.
        part_rows: rows of a part: what is scored, and written, in one step.
        batch_size: dialogues that a model gets at once.
        intentions_model: a shipped name or the path of a folder.
        pipeline, monitor: how turns are treated and responses are scored.

    Raises:
        InputError: a task is unknown, there is none, or a number is out of range.
    """

    tasks: tuple[str, ...]
    out: Path
    turns: Turns = "all"
    part_rows: int = 128
    batch_size: int = 32
    intentions_model: str = CAPABILITIES["intentions"].model
    pipeline: PipelineSettings = field(default_factory=_batch_pipeline)
    monitor: MonitorSettings = field(default_factory=lambda: MonitorSettings(threads=1, workers=1))

    def __post_init__(self) -> None:
        for name in self.tasks:
            if name not in TASKS:
                raise InputError("task", name, ", ".join(TASKS))
        if not self.tasks:
            raise InputError("tasks", "none", f"at least one of {', '.join(TASKS)}")
        if self.turns not in ("all", "last"):
            raise InputError("turns", self.turns, "all, last")
        for name, most in (("part_rows", MAX_PART_ROWS), ("batch_size", MAX_BATCH)):
            if not 1 <= getattr(self, name) <= most:
                raise InputError(name, getattr(self, name), f"1 to {most}")

    @cached_property
    def contents(self) -> dict[str, str]:
        """The sha256 of what the job names: models' manifests, which hold the checksums of their other files, and `alarm_settings`.

        The manifests of all shipped models are among them, as models use others. What is not there is missed when it is loaded.
        """
        named = [self.intentions_model, self.pipeline.directness_model, self.pipeline.rewriter_model, self.pipeline.meaning_model]
        named += [self.monitor.behaviors_model, self.monitor.relations_model, self.monitor.frustration_model]
        folders = [PRETRAINED / name for name in shipped()] + [Path(name) for name in named if name and name not in shipped()]
        files = [folder / FILE for folder in folders] + [Path(name) for name in (self.monitor.alarm_settings,) if name]
        return {str(file): sha256(file) for file in files if file.is_file()}

    def fingerprint(self, path: Path) -> str:
        """What the results of an input file depend on, as 16 hexadecimal digits: this job, `contents`, size and time of the file.

        Raises:
            OSError: the file is not there.
        """
        about = path.stat()
        pipeline = asdict(self.pipeline)
        monitor = {name: value for name, value in asdict(self.monitor).items() if not name.startswith(("judge_", "redis_"))}
        chosen = {"tasks": sorted(self.tasks), "turns": self.turns, "rows": self.part_rows, "batch": self.batch_size}
        models = {"intentions": self.intentions_model, "pipeline": pipeline, "monitor": monitor, "version": version("grice")}
        file = {"bytes": about.st_size, "changed": about.st_mtime_ns}
        text = json.dumps([chosen, models, sorted(self.contents.values()), file], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
