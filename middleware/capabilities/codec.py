"""JSON as frozen dataclasses, by their type hints, and back. What does not have their shape is an error, never a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from grice.models.errors import InputError, ServiceError, shorten
from grice.models.results import Range


def decode(kind: Any, value: object, name: str = "") -> Any:
    """`value` as `kind`: a dataclass, `tuple[X, ...]`, `Mapping`, `Literal`, `X | None`, `str`, `int`, `float` or `bool`.

    A `Range` in an `Annotated` type holds for the number. Fields that the dataclass does not have are left alone; one that it has
    must be there, whatever its default.

    Args:
        name: of the value, in the message.

    Raises:
        ServiceError: the value is none; names the innermost field at fault.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _within([each for each in parts[1:] if isinstance(each, Range)], decode(parts[0], value, name), name)
    if origin in (Union, UnionType):
        return None if value is None and NoneType in parts else decode(parts[0], value, name)
    if origin is Literal:
        return value if value in parts and isinstance(value, str) else malformed(name, value)
    if origin is tuple:
        return tuple(decode(parts[0], each, name) for each in _of(list, value, name))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {decode(parts[0], key, name): decode(parts[1], each, str(key)) for key, each in _of(dict, value, name).items()}
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, value)
    return _of(kind, value, name)


def encode(value: Any) -> Any:
    """A frozen dataclass, and whatever is in it, as JSON has it."""
    if isinstance(value, (str, float, int)) or value is None:  # first, as most values are
        return value
    if isinstance(value, (list, tuple)):
        return [encode(each) for each in value]
    if isinstance(value, Mapping):
        return {key: encode(each) for key, each in value.items()}
    return {each.name: encode(getattr(value, each.name)) for each in fields(value)}


def field_of(row: object, name: str) -> object:
    """A field of an object; None if it is not there, or the row is no object."""
    return row.get(name) if isinstance(row, dict) else None


def malformed(name: str, value: object) -> Any:
    """Never returns.

    Raises:
        ServiceError: always.
    """
    raise ServiceError(f"the service answered {name}: {shorten(value)}, which is none; is it of another version?")


@lru_cache(maxsize=64)
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _dataclass(kind: Any, row: object) -> Any:
    values = {each.name: decode(_hints(kind)[each.name], field_of(row, each.name), each.name) for each in fields(kind)}
    try:
        return kind(**values)
    except InputError as error:
        return malformed(kind.__name__.lower(), str(error))


def _of(kind: type[Any], value: object, name: str) -> Any:
    allowed = (int, float) if kind is float else kind
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        return malformed(name, value)
    return float(value) if kind is float else value


def _within(ranges: list[Range], value: Any, name: str) -> Any:
    for each in ranges:
        if not each.low <= value <= each.high:
            return malformed(name, value)
    return value
