"""Tells the official files of a data set from known subsets, and both from anything else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.models.data.pins import DataSet, Pin

FileStatus = Literal["official", "subset", "missing", "refused"]

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class Check:
    """What one file was found to be, with the figures that say why."""

    path: Path
    status: FileStatus
    detail: str


def verify(data_set: DataSet, data_dir: Path) -> list[Check]:
    """A check of every pinned file of `data_set` in its folder of `data_dir`, in the order of the pins. Reads whole files."""
    return [check(pin, data_dir / data_set.name / pin.path) for pin in data_set.files]


def check(pin: Pin, path: Path) -> Check:
    """What the file at `path` is, by its size and sha256."""
    if not path.is_file():
        return Check(path, "missing", expected(pin))
    found = sums(path)
    if found == (pin.size, pin.sha256):
        return Check(path, "official", described(*found))
    for subset in pin.subsets:
        if found == (subset.size, subset.sha256):
            return Check(path, "subset", subset.content)
    return Check(path, "refused", f"got {described(*found)}; expected {expected(pin)}")


def sums(path: Path) -> tuple[int, str]:
    """Size in bytes and sha256 of a file."""
    digest = hashlib.sha256()
    size = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


def described(size: int, sha256: str) -> str:
    """Size and sum in words."""
    return f"{size:,} bytes, sha256 {sha256}"


def expected(pin: Pin) -> str:
    """The size and sum that `pin` asks for, in words, with those of its known subsets."""
    allowed = [] if pin.size is None or pin.sha256 is None else [described(pin.size, pin.sha256)]
    allowed += [f"{described(subset.size, subset.sha256)} ({subset.content})" for subset in pin.subsets]
    return " or ".join(allowed)
