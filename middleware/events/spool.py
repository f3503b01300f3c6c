"""A file of events that could not be delivered, one line of JSON each; several processes may share it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: give each process a spool of its own there
    fcntl = None  # type: ignore[assignment]

OWNER_ONLY = 0o600


class Spool:
    """Adds lines to a file, and hands the oldest out again.

    What is being handed out lies in `PATH.sending`, whose lock one process holds. When that dies, another starts the file again
    from its beginning. A half-written line (the machine died) is handed out as it is.

    Args:
        path: of the file. It is made when something is added.
        max_bytes: its largest size.
    """

    def __init__(self, path: str | Path, max_bytes: int = 268_435_456) -> None:
        self.path = Path(path)
        self.max_bytes = max_bytes
        self._sending = Path(f"{path}.sending")
        self._refused = Path(f"{path}.refused")
        self._lock = Path(f"{path}.lock")
        self._taken: IO[bytes] | None = None
        self._after = 0

    def add(self, lines: Sequence[str]) -> int:
        """Write lines at the end, each whole or not at all; how many of them fitted.

        Raises:
            OSError: the file cannot be written.
        """
        with self._alone():
            return self._append(self.path, [line.encode() for line in lines])

    def refuse(self, lines: Sequence[bytes]) -> int:
        """Write lines to `PATH.refused`, which nothing reads but people; how many of them fitted.

        Raises:
            OSError: the file cannot be written.
        """
        with self._alone():
            return self._append(self._refused, lines)

    def is_empty(self) -> bool:
        """Whether nothing waits, here or in another process."""
        return not self._holds(self._sending) and not self._holds(self.path)

    def oldest(self, count: int) -> list[bytes]:
        """The next lines; none if all are handed out, or another process is at it. They stay until `done`.

        Raises:
            OSError: the file cannot be read.
        """
        if self._taken is None and not self._take():
            return []
        assert self._taken is not None
        self._taken.seek(self._after)
        lines = [line for line in (self._taken.readline() for _ in range(count)) if line]
        if not lines:
            self._give_up_empty()
        return lines

    def done(self, lines: Sequence[bytes]) -> None:
        """What `oldest` gave has been dealt with."""
        self._after += sum(map(len, lines))
        if self._taken is not None and self._after >= os.fstat(self._taken.fileno()).st_size:
            self._give_up_empty()

    def close(self) -> None:
        """Give back what is handed out; it is handed out again, from the beginning of its file, by who opens the spool next."""
        if self._taken is not None:
            self._taken.close()
            self._taken = None

    def _append(self, path: Path, lines: Sequence[bytes]) -> int:
        with _opened(path, "a+b") as file:
            size = file.seek(0, os.SEEK_END)
            rows, fitting = [], 0
            if size and file.seek(-1, os.SEEK_END) and file.read(1) != b"\n":
                rows.append(b"\n")  # after a half-written line
            for line in lines:
                size += len(line) + 1
                if size > self.max_bytes:
                    break
                rows.append(line.rstrip(b"\n") + b"\n")
                fitting += 1
            file.write(b"".join(rows))
            return fitting

    def _take(self) -> bool:
        with self._alone():
            if not self._sending.exists():
                if not self._holds(self.path):
                    return False
                self.path.rename(self._sending)
            taken = self._sending.open("rb")
            if not _locked(taken, wait=False):
                taken.close()
                return False
        self._taken, self._after = taken, 0
        return True

    def _give_up_empty(self) -> None:
        with self._alone():
            self._sending.unlink(missing_ok=True)
            self.close()

    def _holds(self, path: Path) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return path.stat().st_size > 0
        return False

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Among all processes; for a moment only."""
        with _opened(self._lock, "ab") as lock:
            _locked(lock, wait=True)
            yield


def _opened(path: Path, mode: str) -> IO[bytes]:
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, OWNER_ONLY))


def _locked(file: IO[bytes], wait: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
