"""A file of keys, without their secrets."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from grice.middleware.access.api_key import ApiKey
from grice.models.errors import InputError, SettingsError, shorten

FILE_VERSION = 1
Stamp = tuple[int, int, int]
"""What changes whenever a file is written: its number, its size, its time."""


class KeyFile:
    """Keys as JSON. It is replaced as a whole, so a reader never sees half of it, and writers wait for each other.

    Args:
        path: of the file; what is written for the first time is readable by its owner only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def stamp(self) -> Stamp | None:
        """What changes whenever the file is written; None: there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def read(self) -> tuple[ApiKey, ...]:
        """The keys, in the order in which they were added.

        Raises:
            SettingsError: the file cannot be read, or holds something else.
        """
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            return _keys(content)
        except FileNotFoundError:
            raise SettingsError("keys_file", str(self.path), "a file of keys; `grice keys add` makes one") from None
        except OSError as error:
            raise SettingsError("keys_file", str(self.path), f"a file that can be read ({type(error).__name__})") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = str(error) if isinstance(error, InputError) else type(error).__name__
            raise SettingsError("keys_file", str(self.path), f"what `grice keys add` writes ({reason})") from None

    def add(self, key: ApiKey) -> None:
        """Add a key; the first one makes the file.

        Raises:
            InputError: there is a key of that name.
            SettingsError: the file cannot be read or written.
        """
        with self._alone():
            keys = self.read() if self.path.exists() else ()
            if any(each.name == key.name for each in keys):
                raise InputError("name", key.name, "a name that no other key has; revoke that one, or choose another")
            self._write((*keys, key))

    def revoke(self, name: str) -> ApiKey:
        """Remove the key of that name.

        Raises:
            InputError: there is none.
            SettingsError: the file cannot be read or written.
        """
        with self._alone():
            keys = self.read()
            found = [each for each in keys if each.name == name]
            if not found:
                raise InputError("name", name, f"the name of a key: {', '.join(each.name for each in keys) or 'there is none'}")
            self._write([each for each in keys if each.name != name])
            return found[0]

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            lock = os.open(self.path.with_name(self.path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _write(self, keys: Sequence[ApiKey]) -> None:
        text = json.dumps({"version": FILE_VERSION, "keys": [_row(key) for key in keys]}, indent=2) + "\n"
        try:
            mode = self.path.stat().st_mode & 0o777 if self.path.exists() else 0o600
            with tempfile.TemporaryDirectory(dir=self.path.parent, prefix=f".{self.path.name}.") as folder:
                new = Path(folder) / self.path.name
                new.touch(mode)
                with new.open("w", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                new.chmod(mode)
                new.replace(self.path)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> SettingsError:
        return SettingsError("keys_file", str(self.path), f"a file in a folder that can be written ({type(error).__name__})")


def _row(key: ApiKey) -> dict[str, Any]:
    row = {each.name: getattr(key, each.name) for each in fields(key) if each.name != "digest"}
    return {**row, "sha256": key.digest}


def _keys(content: Any) -> tuple[ApiKey, ...]:
    if content["version"] != FILE_VERSION:
        raise InputError("version", content["version"], str(FILE_VERSION))
    keys = tuple(
        ApiKey(**{**row, "scopes": tuple(row["scopes"]), "digest": digest}) for row, digest in map(_parted, content["keys"])
    )
    names = [key.name for key in keys]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("name", shorten(twice), "each name once")
    return keys


def _parted(row: dict[str, Any]) -> tuple[dict[str, Any], str]:
    return {name: value for name, value in row.items() if name != "sha256"}, row["sha256"]
