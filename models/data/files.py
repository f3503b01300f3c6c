"""Opening the files of a data set, zipped or not, with errors that say what to do."""

from __future__ import annotations

import csv
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from grice.models.errors import DataCorrupt, DataNotFound

Row = TypeVar("Row")
Record = TypeVar("Record")

DATA_DIR_VARIABLE = "GRICE_DATA_DIR"

_UNREADABLE = (ValueError, KeyError, IndexError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What `json`, `zipfile` and `zlib` raise on damaged, encrypted or cut files; undecodable text is a ValueError too."""


def data_dir(given: str | Path | None = None, create: bool = False) -> Path:
    """The folder that holds one folder a data set: `given`, or else `$GRICE_DATA_DIR`.

    Args:
        create: make the folder if it is not there.

    Raises:
        DataNotFound: neither is set, or there is no such folder.
    """
    value = given or os.environ.get(DATA_DIR_VARIABLE)
    if not value:
        raise DataNotFound(f"no data folder: give --data-dir or set {DATA_DIR_VARIABLE}")
    folder = Path(value)
    if create:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataNotFound(f"data folder {folder} cannot be made: {error.strerror}") from error
    if not folder.is_dir():
        raise DataNotFound(f"data folder {folder} is not a folder (from {'--data-dir' if given else DATA_DIR_VARIABLE})")
    return folder


def existing(folder: Path, *names: str) -> Path:
    """The first of `names` that exists in `folder`.

    Raises:
        DataNotFound: none of them does.
    """
    for name in names:
        if (folder / name).exists():
            return folder / name
    raise DataNotFound(
        f"{folder}: none of these is there: {', '.join(names)}; `grice data list` says what can be fetched, and from where"
    )


def read_json(path: Path, member: str | None = None) -> Any:
    """The JSON value in `path`; a `.zip` must hold it as `member` (default: its only file).

    Raises:
        DataCorrupt: the archive or the JSON is damaged.
    """
    try:
        if path.suffix != ".zip":
            return json.loads(path.read_text(encoding="utf-8"))
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read(member or archive.namelist()[0]))
    except _UNREADABLE as error:
        raise DataCorrupt(f"{path}{f' ({member})' if member else ''}: {error}; fetch it again") from error


def read_json_members(path: Path, ending: str) -> Iterator[tuple[str, Any]]:
    """Name and JSON value of every file in the archive `path` whose name ends in `ending`, in the archive's order.

    Raises:
        DataCorrupt: the archive is damaged; or a file in it, which is then named.
    """
    name = ""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(ending):
                    yield name, json.loads(archive.read(name))
    except _UNREADABLE as error:
        raise DataCorrupt(f"{path}{f' ({name})' if name else ''}: {error}; fetch it again") from error


def read_table(path: Path, what: str, columns: Sequence[str], **style: Any) -> list[list[str]]:
    """The rows below the header of a text file with one row a line; `style` is for `csv.reader`.

    Raises:
        DataCorrupt: the header is not `columns`, or no row is below it.
    """
    with in_format(what, path), path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, **style))
    if rows[:1] != [list(columns)] or len(rows) == 1:
        named = ", ".join(filter(None, columns))
        raise DataCorrupt(f"{path}: not in the format of {what} (columns {named}, then rows); fetch it again")
    return rows[1:]


def number_rows(unit: str, rows: Iterable[Row], first: int = 1) -> Iterator[tuple[str, Row]]:
    """Each row with its place, `unit` and its number from `first`."""
    return ((f"{unit} {number}", row) for number, row in enumerate(rows, start=first))


def parse_each(what: str, path: Path, rows: Iterable[tuple[str, Row]], parse: Callable[[Row], Record]) -> list[Record]:
    """What `parse` makes of each row; an error says in which one, by its place (`number_rows`).

    Raises:
        DataCorrupt: as `in_format`.
    """
    records = []
    for place, row in rows:
        with in_format(what, f"{path}, {place}"):
            records.append(parse(row))
    return records


def parse_lines(what: str, path: Path, name: str, parse: Callable[[int, Any], Record]) -> list[Record]:
    """What `parse` makes of the number and the JSON value of each line.

    Raises:
        DataCorrupt: as `in_format`, or there is no line; `name` says what a record is.
    """
    with in_format(what, path), path.open(encoding="utf-8") as lines:
        rows = enumerate(lines, start=1)
        records = parse_each(what, path, number_rows("line", rows), lambda row: parse(row[0], json.loads(row[1])))
    if not records:
        raise DataCorrupt(f"{path}: not in the format of {what} (no {name}); fetch it again")
    return records


def together(path: Path, rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    """The rows of each dialogue, which stand together in a file.

    Raises:
        DataCorrupt: a dialogue goes on after another one.
    """
    found: dict[str, list[Row]] = {}
    for name, own in groupby(rows, key):
        if name in found:
            raise DataCorrupt(f"{path}: dialogue {name} goes on after another one; fetch it again")
        found[name] = list(own)
    return found


@contextmanager
def in_format(what: str, where: object, repair: str = "fetch it again") -> Iterator[None]:
    """Turns whatever goes wrong while a parsed value is taken apart into an error that names the place.

    Args:
        what: the data set whose format is expected.
        where: the file, and the record in it.
        repair: what the reader of the error can do.

    Raises:
        DataCorrupt: a key is missing, a value has the wrong type, or a text is not usable as a turn.
    """
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, csv.Error) as error:
        raise DataCorrupt(f"{where}: not in the format of {what} ({error!r}); {repair}") from error
