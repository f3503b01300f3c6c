"""`grice batch`: score logs of dialogues, here or on a Ray cluster."""

from __future__ import annotations

import argparse
import glob
import sys
from pathlib import Path

from grice.middleware.batch import TASKS, BatchJob
from grice.middleware.batch.job import LONGEST_STAGE_MS
from grice.middleware.capabilities import capability_settings
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import PipelineSettings, add_options, from_options
from grice.models.errors import InputError

HELP = "score logs of dialogues: JSON lines or Parquet, one dialogue a row"

_FIXED = {"threads": 1, "workers": 1}
"""What results must not depend on."""
_RUNTIME = ("provider", "precision")
_PIPELINE = (
    *(*_RUNTIME, "mode", "direct_from", "clarify_below", "verified_from", "min_confidence"),
    *("directness_model", "rewriter_model", "meaning_model"),
)
_MONITOR = ("behaviors_model", "relations_model", "frustration_model", "frustration_threshold", "alarm_settings")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = "A run that was stopped goes on where it was when the same command is given again. docs/batch.md says more."
    parser.add_argument("--in", dest="inputs", required=True, nargs="+", metavar="FILE", help="files, or patterns in quotes")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder for one output file an input file")
    parser.add_argument("--task", required=True, nargs="+", choices=[*TASKS], help="what is to be found")
    parser.add_argument(
        "--turns", choices=["all", "last"], default="all", help="look at all turns, or at the last of each dialogue"
    )
    parser.add_argument(
        "--ray", metavar="local|ADDRESS", help="on this machine's CPUs or a cluster, by actors of Ray (default: one process)"
    )
    parser.add_argument(
        "--part-rows", type=int, default=BatchJob.part_rows, metavar="N", help="rows scored and written in one step"
    )
    parser.add_argument("--batch-size", type=int, default=BatchJob.batch_size, metavar="N", help="dialogues a model gets at once")
    add_options(parser, PipelineSettings, names=_PIPELINE)
    add_options(parser, MonitorSettings, names=_MONITOR)
    add_options(parser, capability_settings(), names=("intentions_model",))


def run(args: argparse.Namespace) -> int:
    """Score the files that are not done; 1 if one could not be.

    Raises:
        GriceError: an option, a model or a missing package keeps it from starting.
    """
    job, files = job_of(args), list_inputs(args.inputs)
    if args.ray is None:
        from grice.middleware.batch.one_process import run_here

        counts = run_here(job, files, _tell)
    else:
        from grice.middleware.batch.ray_data import run_on_ray

        counts = run_on_ray(job, files, args.ray, _tell)
    for reason in counts.failed.values():
        print(f"grice batch: {reason}", file=sys.stderr)
    return 1 if counts.failed else 0


def job_of(args: argparse.Namespace) -> BatchJob:
    """The run that the command line asks for: flags before environment before built-in values.

    Raises:
        GriceError: a value cannot be used.
    """
    late = {"deadline_ms": LONGEST_STAGE_MS, "on_error": "raise"}
    for name, value in {**_FIXED, **late}.items():
        setattr(args, name, value)
    return BatchJob(
        tasks=tuple(dict.fromkeys(args.task)),
        out=args.out.absolute(),
        turns=args.turns,
        part_rows=args.part_rows,
        batch_size=args.batch_size,
        intentions_model=from_options(capability_settings(), args, ("intentions_model",)).intentions_model,
        pipeline=from_options(PipelineSettings, args, (*_PIPELINE, *_FIXED, *late)),
        monitor=from_options(MonitorSettings, args, (*_RUNTIME, *_MONITOR, *_FIXED)),
    )


def list_inputs(patterns: list[str]) -> list[Path]:
    """The files, in order of their names, each once.

    Raises:
        InputError: a pattern fits none.
    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        fitting = sorted(glob.glob(pattern, recursive=True))
        if not fitting:
            raise InputError("--in", pattern, "a file that is there, or a pattern that fits at least one")
        found.update(dict.fromkeys(map(Path, fitting)))
    return list(found)


def _tell(line: str) -> None:
    print(f"batch: {line}", file=sys.stderr, flush=True)
