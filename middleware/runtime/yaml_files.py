"""Reading and writing YAML. ruamel.yaml is imported where a file is read, so that who reads none does not need it."""

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


def check_yaml(extra: str) -> None:
    """Make sure that YAML can be read and written, for those who do it after long work.

    Args:
        extra: of ours that brings ruamel.yaml.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
    """
    try:
        importlib.import_module("ruamel.yaml")
    except ImportError as error:
        raise MissingExtra("ruamel.yaml", extra) from error


def dump_yaml(content: Mapping[str, Any], extra: str) -> str:
    """`content` as YAML, its lines never broken.

    Args:
        extra: of ours that brings ruamel.yaml.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
    """
    check_yaml(extra)
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 4096
    stream = io.StringIO()
    yaml.dump(content, stream)
    return stream.getvalue()


def load_yaml(text: str, path: Path, extra: str, with_lines: bool = False) -> Any:
    """What `text`, that would stand in `path`, says.

    Args:
        extra: of ours that brings ruamel.yaml.
        with_lines: mappings and lists know their lines and comments; otherwise they are plain dicts and lists.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataCorrupt: it is not YAML; says the line.
    """
    check_yaml(extra)
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return (YAML() if with_lines else YAML(typ="safe", pure=True)).load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise DataCorrupt(f"{path}{line}: not valid YAML: {error.problem or error.context}") from error
    except (YAMLError, ValueError) as error:
        raise DataCorrupt(f"{path}: not valid YAML: {error}") from error
    except RecursionError as error:
        raise DataCorrupt(f"{path}: nested too deeply") from error
