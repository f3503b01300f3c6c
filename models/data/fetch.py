"""Gets the files of a data set from where its authors publish them, each checked against its pin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grice.models.data.download import DownloadProgress, download
from grice.models.data.pins import DataSet, Pin
from grice.models.data.verify import check, expected
from grice.models.errors import DataNotFound

FetchOutcome = Literal["fetched", "already there", "subset kept", "not published"]


@dataclass(frozen=True)
class Fetched:
    """What became of one file."""

    path: Path
    outcome: FetchOutcome


def fetch(
    data_set: DataSet,
    data_dir: Path,
    mirror: str | None = None,
    replace_subsets: bool = False,
    progress_of: Callable[[str], DownloadProgress] = lambda name: lambda done, size: None,
) -> list[Fetched]:
    """Get every file of `data_set` that is not there yet into its folder of `data_dir`.

    A file that is there with other bytes than the pinned ones is moved to `NAME.refused` and fetched anew; a known subset is
    kept. Files that no one publishes in this form are left to the user.

    Args:
        mirror: fetch `{mirror}/{data set}/{path}` in place of the authors' address.
        replace_subsets: fetch official files in place of known subsets.
        progress_of: makes the progress callback of a file.

    Raises:
        DataNotFound, DataCorrupt, DataError: as `download`; DataNotFound also if not one file can be fetched or is there.
    """
    results = []
    for pin in data_set.files:
        target = data_dir / data_set.name / pin.path
        url = f"{mirror.rstrip('/')}/{data_set.name}/{pin.path}" if mirror else pin.url
        results.append(Fetched(target, _fetch_one(pin, target, url, replace_subsets, progress_of)))
    if all(result.outcome == "not published" for result in results):
        files = "; ".join(f"{pin.path}: {expected(pin)}" for pin in data_set.files)
        raise DataNotFound(
            f"{data_set.name}: no file of it is published in this form; get it from {data_set.homepage} "
            f"and put in {data_dir / data_set.name}: {files}"
        )
    return results


def _fetch_one(
    pin: Pin, target: Path, url: str | None, replace_subsets: bool, progress_of: Callable[[str], DownloadProgress]
) -> FetchOutcome:
    status = check(pin, target).status
    if status == "official":
        return "already there"
    if status == "subset" and not (replace_subsets and pin.size is not None):
        return "subset kept"
    if url is None or pin.size is None or pin.sha256 is None:
        return "not published"
    if status == "refused":
        target.replace(target.with_name(f"{target.name}.refused"))
    download(url, target, pin.size, pin.sha256, progress_of(target.name))
    return "fetched"
