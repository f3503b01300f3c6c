"""Rasa's YAML files, read as Rasa reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grice.middleware.runtime.yaml_files import dump_yaml, load_yaml
from grice.models.errors import DataCorrupt

EXTRA = "rasa"
"""The extra of ours that brings ruamel.yaml to those who write bots."""


def yaml_text(content: Mapping[str, Any]) -> str:
    """`content` as YAML, its lines never broken.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
    """
    return dump_yaml(content, EXTRA)


def parse_yaml(text: str, path: Path) -> Any:
    """What `text`, that would stand in `path`, says; mappings and lists know their lines.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataCorrupt: it is not YAML; says the line.
    """
    try:
        readable = _as_rasa_reads(text)
    except UnicodeDecodeError as error:
        raise DataCorrupt(
            f"{path}: Rasa cannot read the escape {text[error.start : error.end]!r}; write the character itself"
        ) from error
    return load_yaml(readable, path, EXTRA, with_lines=True)


def _as_rasa_reads(text: str) -> str:
    r"""A file that is all ASCII may write characters as \u00e9 (`rasa.shared.utils.io.read_yaml`)."""
    if not text.isascii():
        return text
    return text.encode().decode("raw_unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16")
