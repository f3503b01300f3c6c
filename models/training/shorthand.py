"""The shorthand in which people can read written material: a line is a tag and fields; `==` begins a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from grice.models.errors import DataCorrupt, DataNotFound

Part = TypeVar("Part")


class Line:
    """A line, which can say where it stands.

    Attributes:
        tag: its first word. text: the rest. fields: of the rest, between `|`.
    """

    def __init__(self, path: Path, number: int, text: str) -> None:
        self.where = f"{path.name}, line {number}"
        self.tag, _, rest = text.strip().partition(" ")
        self.text = rest.strip()
        self.fields = [part.strip() for part in rest.split("|")]

    def corrupt(self, got: object, allowed: str) -> DataCorrupt:
        """The error that says what is wrong with it."""
        return DataCorrupt(f"{self.where}: got {got!r}; allowed: {allowed}")

    def split(self, count: int) -> list[str]:
        """Its fields.

        Raises:
            DataCorrupt: there are more or fewer than `count`.
        """
        if len(self.fields) != count:
            raise self.corrupt(f"{len(self.fields)} fields", f"{count}")
        return self.fields


def read_parts(path: Path) -> Iterator[list[Line]]:
    """The lines of each part of a file, the one with `==` first; blank lines are left out.

    Raises:
        DataNotFound: it cannot be read. DataCorrupt: it does not begin with `==`.
    """
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataNotFound(f"{path}: {error.strerror}") from error
    part: list[Line] = []
    for number, text in enumerate(texts, 1):
        if not text.strip():
            continue
        line = Line(path, number, text)
        if line.tag == "==" and part:
            yield part
            part = []
        elif line.tag != "==" and not part:
            raise line.corrupt(line.tag, "== first")
        part.append(line)
    if part:
        yield part


def read_hands_with(make: Callable[[str, list[Line]], Part], folder: Path, names: Sequence[str] = ()) -> dict[str, list[Part]]:
    """What `make` makes of each hand's parts, by the hand's name; of `names` alone where some are given.

    Args:
        make: of a hand's name and the lines of a part.

    Raises:
        DataNotFound: there is no such hand. DataCorrupt: as `make` and `read_parts`.
    """
    files = {path.stem: path for path in sorted(folder.glob("*.txt"))}
    for name in names:
        if name not in files:
            raise DataNotFound(f"{folder}: no hand {name}; there are {', '.join(files) or 'none'}")
    chosen = {name: path for name, path in files.items() if not names or name in names}
    return {name: [make(name, part) for part in read_parts(path)] for name, path in chosen.items()}
