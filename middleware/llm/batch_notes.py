"""Which batches are under way: one small file each, in a folder beside the cache of replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grice.models.errors import DataCorrupt, DataNotFound


@dataclass(frozen=True)
class Note:
    """A batch that is under way.

    Attributes:
        name: sha256 of its requests.
        file_id: the server's id of the file with its requests.
        batch_id: the server's id of the batch; None: it was about to be made.
    """

    name: str
    file_id: str
    batch_id: str | None = None


class BatchNotes:
    """The notes of one server's batches.

    Args:
        cache: the file of replies.
        url: the server's base URL.
    """

    def __init__(self, cache: Path, url: str) -> None:
        self.folder = cache.with_name(f"{cache.name}.batches")
        self._url = url

    def read(self) -> Iterator[Note]:
        """All of them.

        Raises:
            DataCorrupt: a note is damaged.
        """
        for path in sorted(self.folder.glob("*.json")):
            try:
                content = json.loads(path.read_text(encoding="utf-8"))
                url, note = content["url"], Note(path.stem, content["file_id"], content["batch_id"])
            except (ValueError, TypeError, KeyError) as error:
                raise DataCorrupt(
                    f"{path}: no note of a batch; see on the server whether one is under way, then delete it"
                ) from error
            if url == self._url:
                yield note

    def write(self, note: Note) -> Note:
        """Keep a note, in place of an earlier one of the same batch.

        Raises:
            DataNotFound: it cannot be written.
        """
        path = self._path(note)
        new = path.with_suffix(".new")
        try:
            self.folder.mkdir(exist_ok=True)
            new.write_text(json.dumps({"url": self._url, "file_id": note.file_id, "batch_id": note.batch_id}), encoding="utf-8")
            new.replace(path)
        except OSError as error:
            raise DataNotFound(f"note of a batch {path}: {error.strerror}; make room for it and run again") from error
        return note

    def remove(self, note: Note) -> None:
        """The batch has come."""
        self._path(note).unlink(missing_ok=True)

    def _path(self, note: Note) -> Path:
        return self.folder / f"{note.name}.json"
