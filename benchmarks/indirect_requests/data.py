"""Whose indirect requests are scored: the official ones, or ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.benchmarks.core.options import Options
from grice.benchmarks.indirect_requests.slots.scores import Kinds
from grice.models.data import indirect_requests
from grice.models.data.indirect_requests import FOLDER, STRATEGIES, IndirectRequest, RequestSplit, file_name
from grice.models.data.pins import data_set
from grice.models.data.verify import Check, check
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.manifest import sha256

OURS = Path(__file__).parent / "ours.jsonl"
EVALUATED: tuple[RequestSplit, ...] = ("validation", "test")
"""The splits that the paper evaluates on."""
Owner = Literal["official", "ours"]
WantedSource = Literal["auto", "official", "ours"]
EVERY: tuple[RequestSplit, ...] = ("train", *EVALUATED)


@dataclass(frozen=True)
class RequestSet:
    """Requests to score.

    Attributes:
        owner: `official` or `ours`.
        part: which rows these are, in words.
        checksums: sha256 of the files in the data folder that they are from.
    """

    rows: tuple[IndirectRequest, ...]
    owner: Owner
    part: str
    checksums: Mapping[str, str]


def request_set(options: Options, owner: WantedSource = "auto") -> RequestSet:
    """The requests of `owner`; `auto`: the official ones if all their files are there. Of these the splits of the paper, with
    `--split all` also train.

    Raises:
        DataNotFound: the official ones were asked for, and a file is missing.
        DataCorrupt: a file has other bytes than the official one, or cannot be read.
    """
    splits = EVALUATED if options.split == "ours" else EVERY
    checks = _checks(options.data_dir, splits)
    for each in checks:
        if owner != "ours" and each.status == "refused":
            raise DataCorrupt(f"{each.path}: not the official file: {each.detail}; fetch it again, or give --requests ours")
    missing = [each.path.name for each in checks if each.status == "missing"]
    if missing and owner == "official":
        raise DataNotFound(f"{options.data_dir / FOLDER}: {', '.join(missing)} not there; `grice data fetch {FOLDER}` gets them")
    if missing or owner == "ours":
        rows = indirect_requests.read_file(OURS, "ours")
        return RequestSet(tuple(rows[: options.limit]), "ours", "indirect requests of our own set, NOT the official ones", {})
    official = indirect_requests.read(options.data_dir, splits)
    checksums = {f"{FOLDER}/{each.path.name}": sha256(each.path) for each in checks}
    part = f"official indirect requests, {' and '.join(splits)}"
    return RequestSet(tuple(official[: options.limit]), "official", part, checksums)


def strategies_of(requests: Sequence[IndirectRequest]) -> Kinds:
    """For each strategy which requests are known to be of it."""
    return {str(strategy): [request.strategy == strategy for request in requests] for strategy in STRATEGIES}


def _checks(data_dir: Path, splits: tuple[RequestSplit, ...]) -> list[Check]:
    names = {file_name(split) for split in splits}
    return [check(pin, data_dir / FOLDER / pin.path) for pin in data_set(FOLDER).files if pin.path in names]
