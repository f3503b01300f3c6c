"""Writes variants as Rasa's NLU YAML: into a file of their own, or as a section at the end of the list of an existing file.

What is there already is never reformatted: a section is put in as text. Every result is read back before it replaces a file.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from grice.middleware.authoring.augment.nlu_file import END_OF_OURS, MADE_BY_US, OUR_SECTION, NluItem, parse_nlu, without_ours
from grice.middleware.runtime.yaml_files import read_text
from grice.middleware.schemas.rasa.annotation import annotated
from grice.models.errors import DataCorrupt, InputError

_WIDTH = 4096


def separate_file(items: Sequence[NluItem], version: str | None, sources: Iterable[str]) -> str:
    """The text of a file that holds nothing but `items`.

    Raises:
        DataCorrupt: it would not say what `items` say.
    """
    body = (f'version: "{version}"\n' if version else "") + ("nlu:\n" + _dumped(items, 0) if items else "nlu: []\n")
    if parse_nlu(body, Path("output")).items != tuple(items):
        raise DataCorrupt("the variants cannot be written as YAML that reads back alike")
    advice = "run it again to make them anew, delete this file to be rid of them"
    return f"{MADE_BY_US} from {', '.join(sources)}; {advice}. {_signature(body)}\n{body}"


def with_section(text: str, items: Sequence[NluItem], path: Path) -> str:
    """`text` of an NLU file with `items` as the last entries of its list, in place of those of an earlier run.

    Raises:
        InputError: the list is written in brackets, so that no line can be put in.
        DataCorrupt: the result would not say what the file said and the items.
    """
    before = parse_nlu(without_ours(text), path)
    if not items:
        return without_ours(text)
    if before.end is None:
        raise InputError(
            f"{path}, nlu", "a list in brackets or an empty one", "a list of lines `- …`; or write to another file (--out)"
        )
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = without_ours(text).splitlines(keepends=True)
    above, below = "".join(lines[: before.end]), "".join(lines[before.end :])
    margin = " " * before.indent
    body = _dumped(items, before.indent)
    head = f"{margin}{MADE_BY_US} --in-place; run it again to make them anew. {_signature(body)}\n"
    section = f"{head}{body}{margin}{END_OF_OURS}.\n"
    result = above + ("" if above.endswith("\n") else newline) + section.replace("\n", newline) + below
    if parse_nlu(result, path).items != (*before.items, *items):
        raise DataCorrupt(f"{path}: a section cannot be added without changing what the file says; write to another file (--out)")
    return result


def check_replaceable(path: Path) -> None:
    """Raise if `path` holds something that would be lost by writing a file of variants there.

    Raises:
        InputError: it is no file of variants, or was edited since it was written.
    """
    if path.exists():
        head, _, body = _text(path).partition("\n")
        if not head.startswith(MADE_BY_US):
            raise InputError(f"output file {path}", head, "a new file, or one that `grice augment` wrote")
        _check_unedited(path, head, body)


def check_section_replaceable(path: Path) -> None:
    """Raise if the section that an earlier run put into `path` was edited since.

    Raises:
        InputError: it was.
    """
    for section in OUR_SECTION.finditer(_text(path)):
        _check_unedited(path, section.group().partition("\n")[0], section["body"])


def _check_unedited(path: Path, head: str, body: str) -> None:
    if not head.endswith(_signature(body)):
        raise InputError(f"variants in {path}", "edited ones", "as `grice augment` wrote them; move them away, or say --overwrite")


def _text(path: Path) -> str:
    return read_text(path).replace("\r\n", "\n")


def write_whole(path: Path, text: str) -> None:
    """Replace `path` by `text` in one step, so that a reader, or a crash, sees the old or the new file.

    Raises:
        DataCorrupt: it cannot be written.
    """
    path = path.resolve()
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            file.write(text.encode("utf-8"))
        try:
            if path.exists():
                shutil.copymode(path, file.name)
            else:
                os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    except OSError as error:
        raise DataCorrupt(f"{path} cannot be written: {error.strerror}") from error


def _signature(body: str) -> str:
    """Tells later whether `body` was edited."""
    return f"Checksum {hashlib.sha256(body.encode()).hexdigest()[:16]}"


def _dumped(items: Sequence[NluItem], indent: int) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = _WIDTH
    yaml.indent(mapping=2, sequence=2 + indent, offset=indent)
    stream = io.StringIO()
    yaml.representer.ignore_aliases = lambda *_: True
    yaml.dump([_entry(item) for item in items], stream)
    return stream.getvalue()


def _entry(item: NluItem) -> dict[str, Any]:
    from ruamel.yaml.scalarstring import LiteralScalarString

    entry: dict[str, Any] = {"intent": item.intent}
    if item.metadata is not None:
        entry["metadata"] = item.metadata
    lines = [(annotated(example.text, example.entities), metadata) for example, metadata in item.examples]
    if any(metadata is not None for _, metadata in lines):
        entry["examples"] = [
            {"text": LiteralScalarString(f"{line}\n"), **({} if metadata is None else {"metadata": metadata})}
            for line, metadata in lines
        ]
    else:
        entry["examples"] = LiteralScalarString("".join(f"- {line}\n" for line, _ in lines))
    return entry
