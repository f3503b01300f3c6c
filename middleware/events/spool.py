"""Events that could not be delivered, in a file of SQLite, one line of JSON each; several processes may share it."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

OWNER_ONLY = 0o600
WAIT_S = 5.0
"""How long a process waits for another that writes."""
SUFFIX = ".sqlite3"
SPOOL_ERRORS = (OSError, sqlite3.Error)
"""What a spool raises whose file cannot be used."""

# `filled` has one row, so that nobody adds up all lines to know how much room is left. Taken lines are overwritten with zeros.
_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS waiting (id INTEGER PRIMARY KEY AUTOINCREMENT, line BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS filled (bytes INTEGER NOT NULL);
INSERT INTO filled SELECT 0 WHERE NOT EXISTS (SELECT * FROM filled);
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON waiting BEGIN UPDATE filled SET bytes = bytes + length(new.line); END;
CREATE TRIGGER IF NOT EXISTS taken AFTER DELETE ON waiting BEGIN UPDATE filled SET bytes = bytes - length(old.line); END;
COMMIT;
"""

log = logging.getLogger(__name__)


class Spool:
    """Keeps lines, and hands the oldest out again. Thread-safe.

    One process at a time hands lines out; when it dies, or has none left, another may. Lines that it had not dealt with are handed
    out again.

    Earlier versions kept a file of lines, `….jsonl`. The process that hands out takes such a file over, ahead of all that waits
    here, and deletes it. It is the file at `path` itself where that is none of SQLite (`events.jsonl` is taken over into
    `events.jsonl.sqlite3`), otherwise the one of the same name that ends in `.jsonl` (`events.jsonl` into `events.sqlite3`).

    Args:
        path: of the file; `.sqlite3` is put behind one that ends in something else. It is made when something is added.
        max_bytes: how much the lines may hold together.
    """

    def __init__(self, path: str | Path, max_bytes: int = 268_435_456) -> None:
        given = Path(path)
        self.path = given if given.suffix == SUFFIX else Path(f"{given}{SUFFIX}")
        self.max_bytes = max_bytes
        self._refused = Path(f"{given}.refused")
        self._old = given.with_suffix(".jsonl") if given.suffix == SUFFIX else given
        self._moved = Path(f"{self._old}.moved")
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._turn: sqlite3.Connection | None = None
        self._given: Sequence[int] = ()

    def add(self, lines: Sequence[str]) -> int:
        """Keep lines behind all others, each whole or not at all; how many of them fitted.

        Raises:
            OSError, sqlite3.Error: the file cannot be written.
        """
        rows = [line.encode() for line in lines]
        with self._changing() as database:
            (size,) = database.execute("SELECT bytes FROM filled").fetchone()
            fitting = 0
            for row in rows:
                size += len(row)
                if size > self.max_bytes:
                    break
                fitting += 1
            database.executemany("INSERT INTO waiting (line) VALUES (?)", [(row,) for row in rows[:fitting]])
            return fitting

    def refuse(self, line: bytes) -> bool:
        """Write a line to `PATH.refused`, which nothing reads but people; whether it fitted.

        Raises:
            OSError: the file cannot be written.
        """
        with self._lock, open(self._refused, "ab", opener=_open_for_owner) as file:
            fits = file.tell() + len(line) < self.max_bytes
            file.write(line + b"\n" if fits else b"")
            return fits

    def is_empty(self) -> bool:
        """Whether nothing waits, here or in a file of an earlier version.

        Raises:
            OSError, sqlite3.Error: the file cannot be read.
        """
        if self._left_behind():
            return False
        with self._lock:
            return not self.path.exists() or self._opened().execute("SELECT 1 FROM waiting LIMIT 1").fetchone() is None

    def oldest(self, count: int) -> list[bytes]:
        """The next lines; none if there are none, or another process hands them out. They stay until `done`.

        Raises:
            OSError, sqlite3.Error: the file cannot be used.
        """
        with self._lock:
            if not self._take_turn():
                return []
            rows = self._opened().execute("SELECT id, line FROM waiting ORDER BY id LIMIT ?", (count,)).fetchall()
            self._given = [number for number, _ in rows]
            if not rows:
                self._give_back_turn()
            return [line for _, line in rows]

    def done(self) -> None:
        """What `oldest` gave has been dealt with.

        Raises:
            OSError, sqlite3.Error: the file cannot be written.
        """
        with self._lock:
            with self._changing() as database:
                database.executemany("DELETE FROM waiting WHERE id = ?", [(number,) for number in self._given])
            self._given = ()
            if self.is_empty():
                self._opened().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                self._give_back_turn()

    def close(self) -> None:
        """Let others hand out what is left."""
        with self._lock:
            self._give_back_turn()
            if self._database is not None:
                self._database.close()
                self._database = None

    def _take_turn(self) -> bool:
        """Whether this process is the one that hands out: it has a lock, which ends with it."""
        if self._turn is None:
            turn = _connect(Path(f"{self.path}-turn"), wait_s=0.0)
            try:
                turn.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:  # another has it
                turn.close()
                return False
            self._turn = turn
        self._take_over_old()
        return True

    def _give_back_turn(self) -> None:
        if self._turn is not None:
            self._turn.close()
            self._turn = None

    def _left_behind(self) -> list[Path]:
        """The files of an earlier version that hold lines: what it was sending, what a crash has left to us, and its spool."""
        return [path for path in (Path(f"{self._old}.sending"), self._moved, self._old) if _holds(path)]

    def _take_over_old(self) -> None:
        """Move the lines of an earlier version here. A crash midway repeats some and loses none."""
        if not self._left_behind():
            return
        if _holds(self._old) and not _holds(self._moved):
            self._old.rename(self._moved)  # so that nothing is added to what is being read
        files = [path for path in self._left_behind() if path != self._old]
        lines = [line for path in files for line in path.read_bytes().split(b"\n") if line.strip()]
        with self._changing() as database:
            (first,) = database.execute("SELECT COALESCE(MIN(id), 1) FROM waiting").fetchone()
            rows = enumerate(lines, start=first - len(lines))
            database.executemany("INSERT INTO waiting (id, line) VALUES (?, ?)", rows)
        for path in files:
            path.unlink()
        log.warning("%d events of an earlier version were taken over into %s", len(lines), self.path)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """All changes of the block, or none of them."""
        with self._lock:
            database = self._opened()
            database.execute("BEGIN IMMEDIATE")
            with database:
                yield database

    def _opened(self) -> sqlite3.Connection:
        if self._database is not None and not self.path.exists():  # somebody has deleted it
            self._database.close()
            self._database = None
        if self._database is None:
            database = _connect(self.path, WAIT_S)
            try:
                database.executescript(_SCHEMA)
            except sqlite3.Error as error:
                database.close()
                if isinstance(error, sqlite3.OperationalError):
                    raise
                damaged = self.path.replace(f"{self.path}.damaged")
                log.error("the spool file cannot be read (%s); it is set aside as %s, and a new one begun", error, damaged)
                return self._opened()
            self._database = database
        return self._database


def _connect(path: Path, wait_s: float) -> sqlite3.Connection:
    os.close(_open_for_owner(str(path), os.O_CREAT | os.O_RDWR))  # files that SQLite puts beside it get the same permissions
    return sqlite3.connect(path, timeout=wait_s, isolation_level=None, check_same_thread=False)


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)


def _holds(path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_size > 0
    return False
