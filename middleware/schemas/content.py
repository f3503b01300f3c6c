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
    """What a text says that may be JSON or YAML.

    Args:
        name: of the text, in messages.

    Raises:
        MissingExtra: it is YAML, and ruamel.yaml is not installed.
        DataCorrupt: it is neither.
    """
    if text.lstrip().startswith(("{", "[")):
        try:
            return json.loads(text)
        except ValueError as error:
            raise DataCorrupt(f"{name}: not valid JSON: {error}") from error
        except RecursionError as error:
            raise DataCorrupt(f"{name}: nested too deeply") from error
    content: object = load_yaml(text, Path(name), EXTRA)
    return content


def kind_of(content: object) -> str:
    """What a content is, in words, for messages."""
    if isinstance(content, Mapping):
        return f"a mapping with {', '.join(list(map(str, content))[:8]) or 'no keys'}"
    if isinstance(content, list):
        return f"a list of {len(content)}, the first {kind_of(content[0])}" if content else "an empty list"
    return f"a {type(content).__name__}" if content is not None else "nothing"
