"""All parts, one behind the other, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grice.middleware.batch.job import BatchJob
from grice.middleware.batch.ledger import BatchCounts, Ledger, Tell
from grice.middleware.batch.scoring import Scorer
from grice.middleware.batch.work import PartOutcome, cut_file, score_part


def run_here(job: BatchJob, files: Sequence[Path], tell: Tell | None = None, scorer: Scorer | None = None) -> BatchCounts:
    """Score the files that are not done yet.

    Args:
        tell: told how far it is.
        scorer: in place of the job's models.

    Raises:
        GriceError: a model cannot be loaded, or the inputs and what is in the output folder do not go together.
    """
    ledger = Ledger(job, files, tell)
    waiting = list(ledger.to_do())
    if waiting:
        scorer = scorer or Scorer.load(job)
        for path in waiting:
            parts = cut_file(job, path)
            for outcome in [parts] if isinstance(parts, PartOutcome) else (score_part(job, scorer, part) for part in parts):
                ledger.note(outcome)
    return ledger.close()
