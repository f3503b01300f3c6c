"""Files of anybody's own items: one JSON object a line, whose fields are checked by name and type."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from grice.models.errors import DataNotFound, InputError

Item = TypeVar("Item")

_WORDS = {str: "a text", list: "a list", dict: "an object", int: "a whole number", type(None): "null", bool: "true or false"}


Placed = tuple[object, str]
"""What is to be an item, and where it stands."""


def _one_a_line(given: object, where: str) -> Iterable[Placed]:
    return [(given, where)]


def read_items(
    path: Path,
    kinds: Mapping[str, tuple[type, ...]],
    make: Callable[[dict[str, Any], str], Item],
    spread: Callable[[object, str], Iterable[Placed]] = _one_a_line,
) -> list[Item]:
    """The items of a file; blank lines are left out.

    Args:
        kinds: what each field of an item may be. make: the item of checked fields; is told file and line.
        spread: the items of one line; without it a line is one.

    Raises:
        DataNotFound: it cannot be read, or has no item.
        InputError: an item lacks a field or has a wrong one; says line, field, what it has and what is allowed.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataNotFound(f"items {path}: {error}") from error
    places = [(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not places:
        raise DataNotFound(f"items {path}: no item in it; give one JSON object a line")
    given = (placed for line, where in places for placed in spread(_parse(line, where), where))
    return [make(check_object(each, where, kinds), where) for each, where in given]


def check_object(given: object, where: str, kinds: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """`given`, with the fields of `kinds` and perhaps others.

    Raises:
        InputError: it is no object, or lacks a field or has a wrong one.
    """
    if not isinstance(given, dict):
        raise InputError(where, given, f"an object with {', '.join(kinds) or 'fields'}")
    for name, allowed in kinds.items():
        words = " or ".join(_WORDS[each] for each in allowed)
        if name not in given:
            raise InputError(f"{where}, {name}", "no such field", words)
        if not isinstance(given[name], allowed):
            raise InputError(f"{where}, {name}", given[name], words)
    return given


def _parse(line: str, where: str) -> object:
    try:
        found: object = json.loads(line)
    except ValueError as error:
        raise InputError(where, line, f"one JSON object ({error})") from error
    return found
