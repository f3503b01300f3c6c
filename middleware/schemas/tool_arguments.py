"""The arguments of a tool, from the JSON schema that describes them. What the schema says in other ways than these is free text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from grice.middleware.schemas.limits import TRUTH, choices, phrase
from grice.models.schema import MOST_SLOTS, SlotSpec

NOTHING: Mapping[str, Any] = {}
UNIONS = ("anyOf", "oneOf")


@dataclass(frozen=True)
class _Part:
    """A part of a JSON schema whose references are resolved, and the references on the way to it."""

    schema: Mapping[str, Any]
    seen: frozenset[str] = frozenset()


def arguments_of(schema: Mapping[str, Any]) -> list[SlotSpec]:
    """The arguments in the order of the schema; those inside of objects are named with dots (`address.city`).

    Enumerations, constants, and what is true or false have values; a list of one of these has those of its items. Unions are read
    without their null; one of several enumerations has the values of all. A reference is followed within the schema, but not into
    itself.
    """
    # One more than a menu takes, so that too many are refused there; references that multiply would give millions.
    return list(islice(_flat("", _resolve(schema, schema, frozenset()), schema), MOST_SLOTS + 1))


def _flat(prefix: str, part: _Part, root: Mapping[str, Any]) -> Iterator[SlotSpec]:
    for name, given in _mapping(part.schema.get("properties")).items():
        inner = _resolve(given, root, part.seen)
        if _mapping(inner.schema.get("properties")):
            yield from _flat(f"{prefix}{name}.", inner, root)
        else:
            yield SlotSpec(f"{prefix}{name}", phrase(inner.schema.get("description")), _values(inner, root))


def _values(part: _Part, root: Mapping[str, Any]) -> tuple[str, ...]:
    schema = part.schema
    if isinstance(schema.get("enum"), list):
        return choices(schema["enum"])
    if "const" in schema:
        return choices([schema["const"]])
    if "boolean" in _types(schema):
        return TRUTH if _types(schema) == ["boolean"] else ()
    if "items" in schema:
        return _values(_resolve(schema["items"], root, part.seen), root)
    branches = [_values(_resolve(each, root, part.seen), root) for each in _branches(schema)]
    return choices(value for values in branches for value in values) if branches and all(branches) else ()


def _resolve(given: object, root: Mapping[str, Any], seen: frozenset[str]) -> _Part:
    """The schema behind references and behind unions of one; what stands beside a reference counts more than what it names."""
    schema = _mapping(given)
    while True:
        beside = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", *UNIONS)}
        reference, single = schema.get("$ref"), _single(schema)
        if isinstance(reference, str) and reference not in seen:
            seen = seen | {reference}
            schema = {**_find(reference, root), **beside}
        elif reference is not None:
            return _Part(beside, seen)
        elif single is not None:
            schema = {**single, **beside}
        else:
            return _Part(schema, seen)


def _single(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The only part of a union or of `allOf`."""
    parts = [_mapping(each) for each in _listed(schema.get("allOf"))] or _branches(schema)
    return parts[0] if len(parts) == 1 else None


def _branches(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The parts of a union that are not null."""
    parts = [_mapping(each) for name in UNIONS for each in _listed(schema.get(name))]
    return [part for part in parts if part.get("type") != "null"]


def _find(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """What `#/$defs/name` names; nothing where it is elsewhere."""
    start, *path = reference.split("/")
    found: object = root if start == "#" else None
    for step in path:
        found = _mapping(found).get(step.replace("~1", "/").replace("~0", "~"))
    return _mapping(found)


def _types(schema: Mapping[str, Any]) -> list[object]:
    given = schema.get("type")
    return [each for each in (given if isinstance(given, list) else [given]) if each != "null"]


def _mapping(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else NOTHING


def _listed(given: object) -> list[Any]:
    return given if isinstance(given, list) else []
