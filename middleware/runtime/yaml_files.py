"""Reading and writing YAML. ruamel.yaml is imported where a file is read, so that who reads none does not need it."""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grice.models.errors import DataCorrupt, DataNotFound, MissingExtra
from grice.models.runtime.pause import pause


class _Pieces(io.StringIO):
    """A text that is read piece by piece; before each whoever reads may be made to wait, or to end."""

    name = "<unicode string>"

    def read(self, size: int | None = -1, /) -> str:
        pause()
        return super().read(size)


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


def load_yaml(text: str, path: Path, extra: str, with_lines: bool = False, merging: bool = True) -> Any:
    """What `text`, that would stand in `path`, says. It is slow, and pauses (`grice.models.runtime.pause`) between pieces of it.

    Args:
        extra: of ours that brings ruamel.yaml.
        with_lines: mappings and lists know their lines and comments; otherwise they are plain dicts and lists.
        merging: whether it may have merge keys (`<<`): a few hundred characters of them can take hours. Plain dicts and lists only.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataCorrupt: it is not YAML; says the line.
    """
    check_yaml(extra)
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    yaml = YAML() if with_lines else YAML(typ="safe", pure=True)
    if not merging:
        yaml.Constructor = _without_merging()
    try:
        return yaml.load(_Pieces(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise DataCorrupt(f"{path}{line}: not valid YAML: {error.problem or error.context}") from error
    except (YAMLError, ValueError, TypeError) as error:  # TypeError: a list of lists as a key
        raise DataCorrupt(f"{path}: not valid YAML: {error}") from error
    except RecursionError as error:
        raise DataCorrupt(f"{path}: nested too deeply") from error


def _without_merging() -> type[Any]:
    from ruamel.yaml.constructor import ConstructorError, SafeConstructor

    class WithoutMerging(SafeConstructor):
        def flatten_mapping(self, node: Any) -> Any:
            for key, _ in node.value:
                if key.tag == "tag:yaml.org,2002:merge":
                    raise ConstructorError(None, None, "merge keys (<<) are not read here", key.start_mark)

    return WithoutMerging
