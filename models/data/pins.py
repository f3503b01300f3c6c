"""What the files of the released data sets are: `pins.json` with source, size, sha256, licence and citation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from grice.models.errors import InputError


@dataclass(frozen=True)
class Subset:
    """A file with a part of an official file's content, which some places have in its stead."""

    size: int
    sha256: str
    content: str


@dataclass(frozen=True)
class Pin:
    """One file of a data set.

    Attributes:
        path: its place in the data set's folder.
        url: where its authors publish it; None where no published file has these bytes, or none is known to.
        size, sha256: of the official file, in bytes; None where it is published in another form.
        subsets: known parts of it.
    """

    path: str
    url: str | None
    size: int | None
    sha256: str | None
    subsets: tuple[Subset, ...] = ()


@dataclass(frozen=True)
class DataSet:
    """A released data set. `name` is also the name of its folder in the data folder."""

    name: str
    title: str
    homepage: str
    revision: str
    licence: str
    citation: str
    note: str
    files: tuple[Pin, ...]


@cache
def data_sets() -> dict[str, DataSet]:
    """All data sets that are pinned, by name."""
    entries = json.loads(Path(__file__).with_name("pins.json").read_text(encoding="utf-8"))
    return {name: _data_set(name, entry) for name, entry in entries.items()}


def data_set(name: str) -> DataSet:
    """The data set of that name.

    Raises:
        InputError: there is none.
    """
    known = data_sets()
    if name not in known:
        raise InputError("data set", name, ", ".join(known))
    return known[name]


def _data_set(name: str, entry: dict[str, Any]) -> DataSet:
    files = tuple(_pin(file) for file in entry["files"])
    return DataSet(**{**entry, "name": name, "files": files})


def _pin(entry: dict[str, Any]) -> Pin:
    return Pin(**{**entry, "subsets": tuple(Subset(**subset) for subset in entry.get("subsets", ()))})
