"""The work of one actor of `grice batch`, timed. Run by `pinned.py`: `main([PATH, TASK, …])`."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from grice.middleware.batch import BatchJob
from grice.middleware.batch.parts import cut
from grice.middleware.batch.scoring import Scorer
from grice.middleware.batch.work import score_part

PART_ROWS = 8


def main(arguments: Sequence[str]) -> None:
    """Load, say so, wait for a line, score all parts of the file, say what each took."""
    path, tasks = Path(arguments[0]), tuple(arguments[1:])
    with tempfile.TemporaryDirectory(prefix="grice-scale-") as out:
        job = BatchJob(tasks, Path(out), part_rows=PART_ROWS)
        scorer = Scorer.load(job)
        print("loaded", flush=True)
        sys.stdin.readline()
        took: dict[str, list[float]] = {"rows": [], "cpu_s": [], "wall_s": []}
        for part in cut(path, job.part_rows, job.fingerprint(path)):
            wall, cpu = time.perf_counter(), time.process_time()
            outcome = score_part(job, scorer, part)
            took["rows"].append(outcome.rows)
            took["cpu_s"].append(time.process_time() - cpu)
            took["wall_s"].append(time.perf_counter() - wall)
    print(json.dumps(took), flush=True)
