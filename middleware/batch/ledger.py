"""Keeps count of the parts of all files, puts files together, and says how far the run is."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grice.middleware.batch.job import BatchJob
from grice.middleware.batch.parts import FORMATS
from grice.middleware.batch.results import OutputFiles, join, outputs_of, remove_parts
from grice.middleware.batch.work import PartOutcome
from grice.models.errors import InputError

Tell = Callable[[str], object]
TELL_EVERY_S = 5.0


@dataclass
class BatchCounts:
    """What a run came to.

    Attributes:
        files: that are done, those of earlier runs among them.
        skipped: of them, those that were done before.
        rows, rejected: of the files done in this run, and of parts that are written.
        scored: rows that this run scored.
        failed: by input file, why it has no results.
        seconds: since the start.
    """

    files: int = 0
    skipped: int = 0
    rows: int = 0
    rejected: int = 0
    scored: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def rows_per_s(self) -> float:
        """Rows scored a second."""
        return self.scored / self.seconds if self.seconds else 0.0


class Ledger:
    """The books of a run.

    Args:
        files: the inputs.
        tell: told a line now and then; None: nobody is.

    Raises:
        InputError: an input cannot be told from another in the output, is of no format that is read, or would be overwritten.
    """

    def __init__(self, job: BatchJob, files: Sequence[Path], tell: Tell | None = None) -> None:
        self._job = job
        self._files = [path.absolute() for path in files]
        self._tell = tell
        self._written: dict[Path, set[int]] = defaultdict(set)
        self._begun = time.monotonic()
        self._next = self._begun + TELL_EVERY_S
        self.counts = BatchCounts()
        self._check()

    def to_do(self) -> Iterator[Path]:
        """The files that are not done yet.

        Raises:
            InputError: one was done from another input, or under other settings.
        """
        found = []
        for path in self._files:
            try:
                outputs = OutputFiles(self._job.out, path.name, self._job.fingerprint(path))
            except OSError as error:
                self._fail(path, f"input {path}: {error.strerror}")
                continue
            if outputs.counts() is None:
                found.append(path)
            else:
                remove_parts(outputs)
                self.counts.files += 1
                self.counts.skipped += 1
        return iter(found)

    def note(self, outcome: PartOutcome) -> None:
        """A part is written, or its file has failed. A file whose parts are all written is put together."""
        part = outcome.part
        if outcome.error:
            self._fail(part.path, outcome.error)
        elif part.number not in self._written[part.path]:
            self._written[part.path].add(part.number)
            self.counts.rows += outcome.rows
            self.counts.rejected += outcome.rejected
            self.counts.scored += outcome.scored
            if len(self._written[part.path]) == part.parts:
                join(outputs_of(self._job.out, part), part.parts, self._job.tasks)
                self.counts.files += 1
                del self._written[part.path]
        if time.monotonic() >= self._next:
            self._report()

    def close(self) -> BatchCounts:
        """What the run came to."""
        self._report()
        return self.counts

    def _fail(self, path: Path, reason: str) -> None:
        self.counts.failed.setdefault(str(path), reason)

    def _report(self) -> None:
        counts, now = self.counts, time.monotonic()
        counts.seconds = now - self._begun
        self._next = now + TELL_EVERY_S
        if self._tell is not None:
            self._tell(
                f"{counts.files:,} of {len(self._files):,} files, {counts.rows:,} rows, {counts.rejected:,} set apart, "
                f"{counts.rows_per_s:.1f} rows/s"
            )

    def _check(self) -> None:
        names: dict[str, Path] = {}
        for path in self._files:
            if path.suffix not in FORMATS:
                raise InputError("input", path, f"files that end in {', '.join(FORMATS)}")
            if path.name in names:
                raise InputError("inputs", f"{names[path.name]} and {path}", "files of different names, as each names its output")
            if path.parent.resolve() == self._job.out.resolve():
                raise InputError("out", self._job.out, "another folder than that of the inputs")
            names[path.name] = path
