"""What is done with one part, by whoever does it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grice.middleware.batch.attempts import DEATHS_OF_A_PART, Attempts
from grice.middleware.batch.job import BatchJob
from grice.middleware.batch.parts import FilePart, cut, read
from grice.middleware.batch.results import outputs_of, read_counts, write_part
from grice.middleware.batch.scoring import Scorer
from grice.models.errors import GriceError


@dataclass(frozen=True)
class PartOutcome:
    """What became of a part.

    Attributes:
        part: which.
        rows, rejected: rows with results, and rows set apart.
        scored: rows that were scored now, not before.
        error: why the part, or the whole file, could not be read or written; empty: it is written.
    """

    part: FilePart
    rows: int = 0
    rejected: int = 0
    scored: int = 0
    error: str = ""


def cut_file(job: BatchJob, path: Path) -> list[FilePart] | PartOutcome:
    """The parts of a file, or why it has none."""
    try:
        return cut(path, job.part_rows, job.fingerprint(path))
    except (GriceError, OSError) as error:
        return PartOutcome(FilePart(path, 0, 1, 1, 0, 0, ""), error=str(error))


def score_part(job: BatchJob, scorer: Scorer, part: FilePart) -> PartOutcome:
    """Score and write a part, unless it is written."""
    outputs = outputs_of(job.out, part)
    try:
        before = read_counts(outputs, part.number)
        if before is not None:
            return PartOutcome(part, before.rows, before.rejected)
        attempts = Attempts(outputs.part(part.number))
        deaths = attempts.begin()
        rows = list(read(part))
        if deaths >= DEATHS_OF_A_PART:
            rows = attempts.without_fatal(rows, scorer.score)
        counts = write_part(outputs, part.number, scorer.score(rows))
        attempts.end()
    except (GriceError, OSError) as error:
        return PartOutcome(part, error=str(error))
    return PartOutcome(part, counts.rows, counts.rejected, counts.rows + counts.rejected)
