"""What is written: a file for each part, then one for each input file, with a mark that it is whole.

In the folder `out`, for an input `a.parquet`: `a.parquet` with the results, `a.parquet.rejected.jsonl` with the rows that were set
apart, where there are some, and `a.parquet.done.json`, the mark, which comes last. Parts wait below `.parts`. Each file gets its
name in one step once it is written, so one that is there is whole: to go on after a stop is to look what is there.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from grice.middleware.batch.parts import PARQUET, FilePart
from grice.middleware.batch.scoring import ScoredRow
from grice.models.errors import InputError, MissingExtra


@dataclass(frozen=True)
class PartCounts:
    """What a part came to.

    Attributes:
        rows: that have results.
        rejected: that were set apart.
    """

    rows: int
    rejected: int


@dataclass(frozen=True)
class OutputFiles:
    """Where the results of one input file are.

    Attributes:
        out: the folder.
        name: of the input file.
        fingerprint: what its results depend on (`BatchJob.fingerprint`).
    """

    out: Path
    name: str
    fingerprint: str

    @property
    def results(self) -> Path:
        """The rows that have results."""
        return self.out / self.name

    @property
    def rejected(self) -> Path:
        """The rows that were set apart."""
        return self.out / f"{self.name}.rejected.jsonl"

    @property
    def mark(self) -> Path:
        """Says that both are whole."""
        return self.out / f"{self.name}.done.json"

    @property
    def parts(self) -> Path:
        """The folder of the parts."""
        return self.out / ".parts" / f"{self.name}.{self.fingerprint}"

    def part(self, number: int) -> Path:
        """The file of one part."""
        return self.parts / f"{number:07}.jsonl"

    def counts(self) -> PartCounts | None:
        """What the file came to; None: it is not done.

        Raises:
            InputError: it is, but of another input, or under other settings.
        """
        try:
            mark = json.loads(self.mark.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if mark["fingerprint"] != self.fingerprint:
            raise InputError(
                str(self.mark),
                "results of other settings or models, or of another input file",
                "another --out, or an empty folder",
            )
        return PartCounts(mark["rows"], mark["rejected"])


def write_part(outputs: OutputFiles, number: int, scored: Sequence[ScoredRow]) -> PartCounts:
    """Write a part: a line of counts, the rows with results, those set apart."""
    kept = [each for each in scored if not each.reason]
    rejected = [each for each in scored if each.reason]
    counts = PartCounts(len(kept), len(rejected))
    with replacing(outputs.part(number)) as file:
        for line in (asdict(counts), *(each.as_json() for each in (*kept, *rejected))):
            file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    return counts


def read_counts(outputs: OutputFiles, number: int) -> PartCounts | None:
    """What a part came to; None: it is not written."""
    try:
        with outputs.part(number).open("rb") as file:
            return PartCounts(**json.loads(file.readline()))
    except FileNotFoundError:
        return None


def join(outputs: OutputFiles, parts: int, tasks: Sequence[str]) -> PartCounts:
    """Put the parts of a file together in order, mark it as done, and remove them."""
    rows = rejected = 0
    with _results_of(outputs.results, tasks) as results, replacing(outputs.rejected) as apart:
        for number in range(parts):
            with outputs.part(number).open("rb") as file:
                counts = PartCounts(**json.loads(file.readline()))
                results.add(file.readline() for _ in range(counts.rows))
                apart.writelines(file)
            rows, rejected = rows + counts.rows, rejected + counts.rejected
    if not rejected:
        outputs.rejected.unlink()
    counts = PartCounts(rows, rejected)
    with replacing(outputs.mark) as file:
        file.write(json.dumps({**asdict(counts), "tasks": list(tasks), "fingerprint": outputs.fingerprint}).encode())
    remove_parts(outputs)
    return counts


def remove_parts(outputs: OutputFiles) -> None:
    """Remove what is left of the parts of a file, those of other settings too."""
    for folder in outputs.parts.parent.glob(f"{outputs.name}.{'?' * len(outputs.fingerprint)}"):
        shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # parts of other files
        outputs.parts.parent.rmdir()


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it has its name, and is on the disk, once all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _results_of(path: Path, tasks: Sequence[str]) -> Iterator[Any]:
    with replacing(path) as file:
        if path.suffix != PARQUET:
            yield _LineResults(file)
            return
        results = _ParquetResults(file, tasks)
        yield results
        results.close()


class _LineResults:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, lines: Iterator[bytes]) -> None:
        self._file.writelines(lines)


class _ParquetResults:
    """Columns `row` and `id`, and one a task that holds its results as JSON; a row group a part."""

    def __init__(self, file: BinaryIO, tasks: Sequence[str]) -> None:
        try:
            import pyarrow
            from pyarrow.parquet import ParquetWriter
        except ImportError as error:
            raise MissingExtra("pyarrow", "batch") from error
        self._table = pyarrow.Table
        self._tasks = tasks
        kinds = [("row", pyarrow.int64()), ("id", pyarrow.string()), *((name, pyarrow.string()) for name in tasks)]
        self._schema = pyarrow.schema(kinds)
        self._writer = ParquetWriter(file, self._schema, compression="zstd")

    def add(self, lines: Iterator[bytes]) -> None:
        rows = [json.loads(line) for line in lines]
        columns: dict[str, list[Any]] = {"row": [row["row"] for row in rows], "id": [row.get("id") for row in rows]}
        for name in self._tasks:
            columns[name] = [json.dumps(row[name], ensure_ascii=False) for row in rows]
        if rows:
            self._writer.write_table(self._table.from_pydict(columns, schema=self._schema))

    def close(self) -> None:
        self._writer.close()


def outputs_of(out: Path, part: FilePart) -> OutputFiles:
    """Where the results of a part's file are."""
    return OutputFiles(out, part.path.name, part.fingerprint)
