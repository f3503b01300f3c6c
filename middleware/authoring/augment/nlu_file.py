"""Reads Rasa 3's NLU files: which examples there are, and in which lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grice.middleware.authoring.augment.example import Example
from grice.middleware.authoring.rasa_yaml import parse_yaml
from grice.middleware.runtime.yaml_files import read_text
from grice.middleware.schemas.rasa.annotation import parse_annotated
from grice.models.dialogue import Turn, check_text
from grice.models.errors import DataCorrupt, DataNotFound, InputError

MADE_BY_US = "# Indirect variants made by `grice augment`"
"""The first line of a file of variants, and, indented, of a section of them."""
END_OF_OURS = "# End of the indirect variants"
OUR_SECTION = re.compile(
    rf"^[ ]*{re.escape(MADE_BY_US)}[^\n]*\n(?P<body>.*?)^[ ]*{re.escape(END_OF_OURS)}[^\n]*\n?", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class NluItem:
    """One entry of `nlu:` that has an intent.

    Attributes:
        examples: each with its own metadata, None where there is none.
        metadata: that of the entry.
    """

    intent: str
    examples: tuple[tuple[Example, Any], ...]
    metadata: Any = None


@dataclass(frozen=True)
class NluFile:
    """What an NLU file says, without what `grice augment` wrote into it earlier.

    Attributes:
        version: of the format, None where the file has none.
        end: the line, counted from 0, where a further entry of `nlu:` can be put in; None where the list is not written in lines.
        indent: spaces before the dash of an entry.
    """

    path: Path
    version: str | None
    items: tuple[NluItem, ...]
    end: int | None = None
    indent: int = 0


def find_nlu_files(paths: Sequence[Path]) -> list[Path]:
    """The files that are named, and the NLU files below the folders that are named; not those that we wrote.

    Raises:
        DataNotFound: a path is not there, or a folder has no NLU file.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*.y*ml")) if file.suffix in (".yml", ".yaml") and _is_nlu(file)]
            if not inside:
                raise DataNotFound(f"{path}: no YAML file with `nlu:` in this folder")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise DataNotFound(f"{path}: no such file or folder; give NLU files, or folders such as data/")
    return list(dict.fromkeys(found))


def _is_nlu(path: Path) -> bool:
    text = read_text(path)
    return bool(re.search(r"^[\"']?nlu[\"']?\s*:", text, re.MULTILINE)) and not text.startswith(MADE_BY_US)


def read_nlu(path: Path) -> NluFile:
    """The examples of one file.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataNotFound: there is no such file.
        DataCorrupt: it is not YAML. InputError: it is not Rasa's NLU format; says the line.
    """
    text = read_text(path)
    if text.startswith(MADE_BY_US):
        raise InputError(str(path), "a file of variants", "the file that they were made of")
    return parse_nlu(OUR_SECTION.sub(lambda ours: "\n" * ours.group().count("\n"), text), path)


def without_ours(text: str) -> str:
    """`text` without the section that `grice augment --in-place` wrote."""
    return OUR_SECTION.sub("", text)


def parse_nlu(text: str, path: Path) -> NluFile:
    """As `read_nlu`, for text that would stand in `path`."""
    content = parse_yaml(text, path)
    if not _is_mapping(content) or "nlu" not in content:
        raise InputError(f"{path}, line 1", _kind(content), "Rasa 3 training data: a mapping with `version:` and `nlu:`")
    entries: Any = [] if content["nlu"] is None else content["nlu"]
    if not _is_list(entries):
        raise InputError(f"{path}, line {content.lc.value('nlu')[0] + 1}", _kind(entries), "under `nlu:` a list of entries")
    items = tuple(item for place in range(len(entries)) for item in _item(entries, place, path))
    version = content.get("version")
    in_lines = bool(entries) and not entries.fa.flow_style()
    return NluFile(
        path,
        None if version is None else str(version),
        items,
        _end_of_list(text, content, entries.lc.col) if in_lines else None,
        entries.lc.col if in_lines else 0,
    )


def _item(entries: Any, place: int, path: Path) -> Iterator[NluItem]:
    """The entry at `place` if it has an intent."""
    entry, line = entries[place], entries.lc.item(place)[0] + 1
    if not isinstance(entry, Mapping) or not {"intent", "synonym", "regex", "lookup"} & set(entry):
        raise InputError(f"{path}, line {line}", entry, "an entry with `intent:`, `synonym:`, `regex:` or `lookup:`")
    if "intent" not in entry:
        return
    intent, examples = entry["intent"], entry.get("examples")
    if not isinstance(intent, str) or not intent:
        raise InputError(f"{path}, line {line}, intent", intent, "a name")
    if isinstance(examples, str):
        found = [(example, None) for example in _lines(entry, intent, path)]
    elif isinstance(examples, list):
        found = [pair for number in range(len(examples)) for pair in _listed(examples, number, intent, path)]
    else:
        raise InputError(f"{path}, line {line}, examples of {intent}", _kind(examples), "a block of lines `- text`, or a list")
    yield NluItem(intent, tuple(found), _plain(entry.get("metadata")))


def _lines(entry: Any, intent: str, path: Path) -> Iterator[Example]:
    """The examples of a block; its lines can be counted where it is written with `|`."""
    first, is_block = entry.lc.value("examples")[0] + 1, type(entry["examples"]).__name__ == "LiteralScalarString"
    for number, line in enumerate(entry["examples"].splitlines(), start=1):
        where = f"{path}, line {first + number if is_block else first}"
        if not line.strip():
            continue
        if not line.startswith("-"):
            raise InputError(where, line, "a line that begins with `- `")
        yield from _example(line[1:], intent, where)


def _listed(examples: Any, number: int, intent: str, path: Path) -> Iterator[tuple[Example, Any]]:
    where, entry = f"{path}, line {examples.lc.item(number)[0] + 1}", examples[number]
    if not isinstance(entry, Mapping) or not isinstance(entry.get("text"), str):
        raise InputError(where, entry, "an entry with `text:` and perhaps `metadata:`")
    metadata = _plain(entry.get("metadata"))
    history = _history(metadata, where)
    for example in _example(entry["text"], intent, where):
        yield replace(example, history=history), metadata


def _history(metadata: Any, where: str) -> tuple[Turn, ...]:
    """The turns before an example, where its metadata tell them."""
    given = metadata.get("history") if isinstance(metadata, dict) else None
    if given is None:
        return ()
    try:
        return tuple(Turn(turn["speaker"], turn["text"]) for turn in given)
    except (TypeError, KeyError, InputError) as error:
        raise InputError(f"{where}, history", given, "a list of turns, each with speaker (user or bot) and text") from error


def _example(line: str, intent: str, where: str) -> Iterator[Example]:
    """The example of a line; none where it is blank."""
    if not line.strip():
        return
    try:
        text, entities = parse_annotated(line.strip("\n\r "))
        yield Example(check_text(text), intent, entities)
    except InputError as error:
        raise DataCorrupt(f"{where}: {error}") from error


def _plain(value: Any) -> Any:
    """`value` without the comments and anchors that ruamel.yaml keeps with it."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _end_of_list(text: str, content: Any, indent: int) -> int:
    """The line after the last entry of `nlu:`; blank lines and comments after it stay behind it."""
    lines = text.splitlines()
    following = [content.lc.key(key)[0] for key in content if content.lc.key(key)[0] > content.lc.key("nlu")[0]]
    end = min(following, default=len(lines))
    while end and _is_between(lines[end - 1], indent):
        end -= 1
    return end


def _is_between(line: str, indent: int) -> bool:
    bare = line.lstrip(" ")
    return not bare or (bare.startswith(("#", "...")) and len(line) - len(bare) <= indent)


def _is_mapping(value: object) -> bool:
    """Without telling mypy, to which ruamel.yaml's lists and mappings, that know their lines, are Any."""
    return isinstance(value, Mapping)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}" if not isinstance(value, str) else value
