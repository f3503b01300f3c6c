"""Replies that are remembered, so that no question is paid for twice."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from grice.middleware.llm.reply import Reply
from grice.models.errors import DataCorrupt, DataNotFound

log = logging.getLogger(__name__)

WAIT_S = 10.0
"""How long a process waits for another that writes."""


class ReplyCache:
    """A file of replies, each under the name of its whole request. Several threads and processes may share it.

    The file holds what models said of conversations: it is made readable for its owner only. An entry that cannot be read is as
    good as none, and is written anew. A cache that fails later (a full disk) is logged and does without.

    Raises:
        DataNotFound: the file cannot be made there.
        DataCorrupt: it is something else than such a cache. It is left as it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise DataNotFound(
                f"reply cache {path}: {error.strerror}; give the path of a file in a folder that is there"
            ) from error
        try:
            with self._opened() as database:
                database.execute("CREATE TABLE IF NOT EXISTS replies (name TEXT PRIMARY KEY, reply TEXT, made REAL) WITHOUT ROWID")
        except sqlite3.Error as error:
            raise DataCorrupt(f"reply cache {path}: {error}; delete the file or give another path") from error

    def read(self, name: str) -> Reply | None:
        """The reply under that name, if there is one; its cost is not stored."""
        try:
            with self._opened() as database:
                row = database.execute("SELECT reply FROM replies WHERE name = ?", (name,)).fetchone()
        except sqlite3.Error as error:
            log.warning("the reply cache cannot be read: %s", type(error).__name__)
            return None
        return None if row is None else _reply(row[0])

    def write(self, name: str, reply: Reply) -> None:
        """Remember a reply, in place of one of the same name."""
        values = [reply.text, reply.finish_reason, reply.refused, reply.prompt_tokens, reply.completion_tokens]
        try:
            with self._opened() as database:
                database.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", (name, json.dumps(values), time.time()))
        except sqlite3.Error as error:
            log.warning("the reply cache cannot be written: %s", type(error).__name__)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection for one step, which is written when it ends; opening one costs far less than asking a model."""
        with contextlib.closing(sqlite3.connect(self.path, timeout=WAIT_S)) as database, database:
            yield database


def _reply(text: object) -> Reply | None:
    try:
        said, reason, refused, *counts = json.loads(text)  # type: ignore[arg-type]
        prompt_tokens, completion_tokens = (None if count is None else int(count) for count in counts)
        usable = isinstance(said, str) and isinstance(reason, str) and isinstance(refused, bool)
    except (ValueError, TypeError):
        return None
    return Reply(said, reason, refused, prompt_tokens, completion_tokens, cached=True) if usable else None
