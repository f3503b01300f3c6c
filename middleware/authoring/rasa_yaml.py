"""Rasa's YAML files, read as Rasa reads them."""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grice.models.errors import DataCorrupt, DataNotFound, MissingExtra


def read_text(path: Path) -> str:
    """The content of a file with its line ends as they are.

    Raises:
        DataNotFound, DataCorrupt: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise DataNotFound(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataCorrupt(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error


def check_yaml() -> None:
    """Make sure that YAML can be read and written, for those who do it after long work.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
    """
    try:
        importlib.import_module("ruamel.yaml")
    except ImportError as error:
        raise MissingExtra("ruamel.yaml", "rasa") from error


def yaml_text(content: Mapping[str, Any]) -> str:
    """`content` as YAML, its lines never broken.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
    """
    check_yaml()
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 4096
    stream = io.StringIO()
    yaml.dump(content, stream)
    return stream.getvalue()


def parse_yaml(text: str, path: Path) -> Any:
    """What `text`, that would stand in `path`, says; mappings and lists know their lines.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataCorrupt: it is not YAML; says the line.
    """
    check_yaml()
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML().load(_as_rasa_reads(text))
    except UnicodeDecodeError as error:
        raise DataCorrupt(
            f"{path}: Rasa cannot read the escape {text[error.start : error.end]!r}; write the character itself"
        ) from error
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise DataCorrupt(f"{path}{line}: not valid YAML: {error.problem or error.context}") from error
    except YAMLError as error:
        raise DataCorrupt(f"{path}: not valid YAML: {error}") from error


def _as_rasa_reads(text: str) -> str:
    r"""A file that is all ASCII may write characters as \u00e9 (`rasa.shared.utils.io.read_yaml`)."""
    if not text.isascii():
        return text
    return text.encode().decode("raw_unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16")
