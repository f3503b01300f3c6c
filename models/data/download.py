"""Downloads one pinned file over HTTP: resumes what was interrupted, refuses what has other bytes."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO

from grice.models.data.verify import described, sums
from grice.models.errors import DataCorrupt, DataError, DataNotFound, InputError

DownloadProgress = Callable[[int, int], None]
"""Called with the bytes that are there and the bytes expected, after every block."""

_BLOCK_BYTES = 1 << 16
_TIMEOUT_S = 30.0
_RANGE_NOT_SATISFIABLE = 416


def download(url: str, target: Path, size: int, sha256: str, progress: DownloadProgress) -> None:
    """Get `url` as `target`, which appears only when all its bytes are right.

    What has come so far is kept in `target.partial`. A transfer that breaks off is taken up again at once, as long as every
    try brings something, and by the next call otherwise; a server that knows no ranges starts over.

    Raises:
        InputError: not an http(s) address.
        DataNotFound: the server says that the file is not there.
        DataCorrupt: the server's file has another size or sha256; it is moved to `target.refused`.
        DataError: the server cannot be reached, refuses, or breaks off without sending anything.
    """
    if not url.startswith(("http://", "https://")):
        raise InputError("address", url, "one that starts with http:// or https://")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{target.parent} cannot be made: {error.strerror}; choose another --data-dir") from error
    partial = target.with_name(f"{target.name}.partial")
    while _size(partial) < size:
        before = _size(partial)
        broken = _transfer(url, partial, size, progress)
        if broken is None:
            break
        if _size(partial) <= before:
            raise DataError(f"{url}: broke off at {before:,} of {size:,} bytes ({broken}); run it again to go on from there")
    _accept(partial, target, size, sha256)


def _transfer(url: str, partial: Path, size: int, progress: DownloadProgress) -> str | None:
    """One request for what `partial` lacks. None if the server sent all it has, else why it broke off."""
    start = _size(partial)
    try:
        with _open(url, start) as answer:
            start = start if _resumes_at(answer, start) else 0
            length = answer.length
            with partial.open("ab" if start else "wb") as file:
                got = start + _copy(answer, file, start, size, progress)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}"
    if length is not None and got < start + length:
        return f"{got - start:,} of {length:,} bytes came"
    return None


def _open(url: str, start: int) -> http.client.HTTPResponse:
    request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=_TIMEOUT_S)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == _RANGE_NOT_SATISFIABLE and start:
            return _open(url, 0)
        kind = DataNotFound if error.code in (404, 410) else DataError
        raise kind(f"{url}: the server answers {error.code} {error.reason}; try --mirror, or get the file by hand") from error
    except urllib.error.URLError as error:
        raise DataError(f"{url}: cannot be reached ({error.reason}); try again, or another source with --mirror") from error
    return answer


def _resumes_at(answer: http.client.HTTPResponse, start: int) -> bool:
    return answer.status == http.client.PARTIAL_CONTENT and answer.headers.get("Content-Range", "").startswith(f"bytes {start}-")


def _copy(answer: http.client.HTTPResponse, file: IO[bytes], start: int, size: int, progress: DownloadProgress) -> int:
    """Copy the answer's body, but not much more than `size` bytes in all; how many were copied."""
    copied = 0
    while start + copied <= size and (block := answer.read1(_BLOCK_BYTES)):
        file.write(block)
        copied += len(block)
        progress(min(start + copied, size), size)
    return copied


def _accept(partial: Path, target: Path, size: int, sha256: str) -> None:
    found = sums(partial)
    if found == (size, sha256):
        partial.replace(target)
        return
    refused = target.with_name(f"{target.name}.refused")
    partial.replace(refused)
    more = " or more" if found[0] > size else ""
    raise DataCorrupt(
        f"{target.name}: got {found[0]:,} bytes{more}, sha256 {found[1]}; expected {described(size, sha256)}; "
        f"refused, and moved to {refused}"
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
