"""Cuts an input file into parts, and reads the rows of one. JSON lines and Parquet; one dialogue a row.

A row has `turns` or `messages` (a list of `speaker` and `text`, or of `role` and `content`), or `text` of a user with `history`
before it; an `id`, if it has one, is told with its results. Other fields are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from grice.models.dialogue import Dialogue
from grice.models.errors import DataCorrupt, DataNotFound, InputError, MissingExtra

JSON_LINES, PARQUET = ".jsonl", ".parquet"
FORMATS = (JSON_LINES, PARQUET)
FIELDS = ("id", "turns", "messages", "text", "history")
MAX_ROW_BYTES = 16 * 1024 * 1024
"""Longest line that is read: more than a thousand turns of the longest text."""


@dataclass(frozen=True)
class FilePart:
    """Some rows of a file, one behind the other.

    Attributes:
        path: the file.
        number, parts: which part this is, from 0, and how many the file has.
        first_row: the number of its first row; rows, and lines, are counted from 1.
        start, stop: where it is in the file: bytes of JSON lines, rows of Parquet.
        fingerprint: what its results depend on (`BatchJob.fingerprint`).
    """

    path: Path
    number: int
    parts: int
    first_row: int
    start: int
    stop: int
    fingerprint: str


@dataclass(frozen=True)
class LoggedRow:
    """One row of the input.

    Attributes:
        number: from 1.
        id: as the row says; None: it does not.
        dialogue: the dialogue; None: the row has none.
        reason: why it has none.
    """

    number: int
    id: str | None
    dialogue: Dialogue | None
    reason: str = ""


def cut(path: Path, rows: int, fingerprint: str) -> list[FilePart]:
    """The parts of a file, each of `rows` rows; an empty file has one without rows.

    Raises:
        DataNotFound: the file cannot be opened.
        DataCorrupt: it is no Parquet file.
        MissingExtra: it is one, and pyarrow is not installed.
    """
    places = _cut_parquet(path, rows) if path.suffix == PARQUET else _cut_lines(path, rows)
    found = [(first, start, stop) for first, start, stop in places] or [(1, 0, 0)]
    return [FilePart(path, number, len(found), *place, fingerprint) for number, place in enumerate(found)]


def read(part: FilePart) -> Iterator[LoggedRow]:
    """The rows of a part, in order. Blank lines are none, but are counted.

    Raises:
        DataNotFound, DataCorrupt: as in `cut`.
    """
    if part.path.suffix == PARQUET:
        for number, values in enumerate(_parquet_rows(part), start=part.first_row):
            yield _row_of(number, values)
        return
    with _opened(part.path) as file:
        file.seek(part.start)
        number = part.first_row
        while file.tell() < part.stop:
            line = _line(file)
            if line is None:
                yield LoggedRow(number, None, None, f"line: got more than {MAX_ROW_BYTES} bytes; allowed: at most as many")
            elif line.strip():
                yield _row_of_line(number, line)
            number += 1


def _cut_lines(path: Path, rows: int) -> Iterator[tuple[int, int, int]]:
    with _opened(path) as file:
        first, start, count = 1, 0, 0
        while _line(file) != b"":
            count += 1
            if count == rows:
                yield first, start, file.tell()
                first, start, count = first + rows, file.tell(), 0
        if count:
            yield first, start, file.tell()


def _line(file: BinaryIO) -> bytes | None:
    """The next line; empty at the end; None where it is too long, and was passed over."""
    line = file.readline(MAX_ROW_BYTES)
    if len(line) < MAX_ROW_BYTES or line.endswith(b"\n"):
        return line
    while line and not line.endswith(b"\n"):
        line = file.readline(MAX_ROW_BYTES)
    return None


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise DataNotFound(f"input {path}: {error.strerror}") from error


def _row_of_line(number: int, line: bytes) -> LoggedRow:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        return LoggedRow(number, None, None, f"line {number}: not valid JSON in UTF-8 ({error})")
    if not isinstance(values, dict):
        return LoggedRow(
            number, None, None, str(InputError(f"line {number}", values, 'an object with "turns", "messages" or "text"'))
        )
    return _row_of(number, values)


def _row_of(number: int, values: Mapping[str, Any]) -> LoggedRow:
    name = values.get("id")
    known = None if name is None else str(name)
    try:
        return LoggedRow(number, known, _dialogue_of(values))
    except InputError as error:
        return LoggedRow(number, known, None, str(error))


def _dialogue_of(values: Mapping[str, Any]) -> Dialogue:
    given = [name for name in ("turns", "messages", "text") if values.get(name) is not None]
    if len(given) != 1:
        raise InputError("row", f"an object with {', '.join(given) or 'none of them'}", 'one of "turns", "messages" and "text"')
    if given != ["text"]:
        return Dialogue.of_messages([_without_nulls(each) for each in _listed(values[given[0]], given[0])])
    history = _listed(values.get("history") or [], "history")
    return Dialogue.of_messages([*map(_without_nulls, history), {"speaker": "user", "text": values["text"]}])


def _listed(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(name, value, "a list of turns")
    return value


def _without_nulls(turn: object) -> object:
    """Parquet gives every turn all fields that any has."""
    return {name: value for name, value in turn.items() if value is not None} if isinstance(turn, dict) else turn


def _cut_parquet(path: Path, rows: int) -> Iterator[tuple[int, int, int]]:
    with _parquet(path) as file:
        count = file.metadata.num_rows
    for start in range(0, count, rows):
        yield start + 1, start, min(count, start + rows)


def _parquet_rows(part: FilePart) -> Iterator[dict[str, Any]]:
    """Row by row; of the row groups only those that the part has rows of, of the columns only ours."""
    with _parquet(part.path) as file:
        begins, groups = 0, []
        passed_over = 0
        for group in range(file.metadata.num_row_groups):
            ends = begins + file.metadata.row_group(group).num_rows
            if ends <= part.start:
                passed_over = ends
            elif begins < part.stop:
                groups.append(group)
            begins = ends
        columns = [name for name in FIELDS if name in file.schema_arrow.names]
        place = passed_over
        if not groups:
            return
        try:
            for batch in file.iter_batches(batch_size=1024, row_groups=groups, columns=columns):
                low, high = max(part.start - place, 0), min(part.stop - place, batch.num_rows)
                if low < high:
                    yield from batch.slice(low, high - low).to_pylist()
                place += batch.num_rows
                if place >= part.stop:
                    return
        except (OSError, ValueError) as error:
            raise DataCorrupt(f"input {part.path}: no readable Parquet: {error}") from error


def _parquet(path: Path) -> Any:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtra("pyarrow", "batch") from error
    try:
        return ParquetFile(path, pre_buffer=False)
    except FileNotFoundError as error:
        raise DataNotFound(f"input {path}: no such file") from error
    except (OSError, ArrowInvalid) as error:
        raise DataCorrupt(f"input {path}: no readable Parquet: {error}") from error
