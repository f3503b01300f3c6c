"""The content of a file, JSON or YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from grice.middleware.runtime.yaml_files import load_yaml, read_text
from grice.models.errors import DataCorrupt

YAML = (".yml", ".yaml")
EXTRA = "schema"
"""The extra of ours that brings ruamel.yaml."""
MOST_YAML = 262_144
"""Characters of YAML in a text that comes from elsewhere: it is read at about 200,000 a second."""
MOST_PARTS = 1_000_000
"""Parts of such a text, if each alias is what it stands for: a few hundred characters can stand for billions of parts."""


def read_content(path: Path) -> object:
    """What a file says: YAML where it is named so, JSON otherwise.

    Raises:
        MissingExtra: it is YAML, and ruamel.yaml is not installed.
        DataNotFound, DataCorrupt: it cannot be read, or is neither.
    """
    text = read_text(path)
    if path.suffix in YAML:
        content: object = load_yaml(text, path, EXTRA)
        return content
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataCorrupt(f"{path}: not valid JSON: {error}; a YAML file ends in {' or '.join(YAML)}") from error
    except RecursionError as error:
        raise DataCorrupt(f"{path}: nested too deeply") from error


def read_text_content(text: str, name: str) -> object:
    """What a text from elsewhere says, that may be JSON or YAML.

    Args:
        name: of the text, in messages.

    Raises:
        MissingExtra: it is YAML, and ruamel.yaml is not installed.
        DataCorrupt: it is neither, or is YAML that is too long, has merge keys, or has aliases that multiply.
    """
    if is_json(text):
        try:
            return json.loads(text)
        except ValueError as error:
            raise DataCorrupt(f"{name}: not valid JSON: {error}") from error
        except RecursionError as error:
            raise DataCorrupt(f"{name}: nested too deeply") from error
    if len(text) > MOST_YAML:
        raise DataCorrupt(f"{name}: {len(text)} characters; at most {MOST_YAML} characters of YAML are read, of JSON any number")
    content: object = load_yaml(text, Path(name), EXTRA, merging=False)
    try:
        parts = _parts(content, {})
    except RecursionError as error:
        raise DataCorrupt(f"{name}: nested too deeply") from error
    if parts > MOST_PARTS:
        raise DataCorrupt(f"{name}: its aliases stand for more than {MOST_PARTS} parts, or for themselves")
    return content


def is_json(text: str) -> bool:
    """Whether a text is read as JSON."""
    return text.lstrip().startswith(("{", "["))


def _parts(content: object, known: dict[int, int]) -> int:
    """How many parts there are, those that are there several times counted each time. Without end: more than there may be."""
    if not isinstance(content, (Mapping, list)):
        return 1
    if id(content) not in known:
        known[id(content)] = MOST_PARTS  # where it is met inside of itself
        inner = content.values() if isinstance(content, Mapping) else content
        known[id(content)] = 1 + sum(_parts(each, known) for each in inner)
    return known[id(content)]


def kind_of(content: object) -> str:
    """What a content is, in words, for messages."""
    if isinstance(content, Mapping):
        return f"a mapping with {', '.join(list(map(str, content))[:8]) or 'no keys'}"
    if isinstance(content, list):
        return f"a list of {len(content)}, the first {kind_of(content[0])}" if content else "an empty list"
    return f"a {type(content).__name__}" if content is not None else "nothing"
