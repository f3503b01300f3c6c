"""A Rasa 3 bot's `domain.yml`, read without Rasa: its intents, entities and slots.

What Rasa 3.6 refuses of these is refused here too, with the file and the name of the part; a value that Rasa only warns of passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.middleware.authoring.rasa_yaml import parse_yaml
from grice.middleware.runtime.yaml_files import read_text
from grice.models.errors import InputError

LATEST = (3, 1)
SLOT_TYPES: Mapping[str, frozenset[str]] = {
    "text": frozenset(),
    "bool": frozenset(),
    "categorical": frozenset({"values"}),
    "float": frozenset({"min_value", "max_value"}),
    "list": frozenset(),
    "any": frozenset(),
}
"""Rasa's own types of slots, and what each takes beside what all take."""
MAPPING_TYPES: Mapping[str, str | None] = {
    "from_entity": "entity",
    "from_intent": "value",
    "from_trigger_intent": "value",
    "from_text": None,
    "custom": None,
}
"""Rasa's types of slot mappings, and the key that each needs."""

_SLOT_KEYS = frozenset({"type", "mappings", "initial_value", "value_reset_delay", "influence_conversation"})
_VERSION = re.compile(r"(\d+)\.(\d+)")
_CUSTOM_TYPE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class DomainSlot:
    """A slot of a bot.

    Attributes:
        kind: its type: one of `SLOT_TYPES`, or the path of a class of the bot's own.
        values: those of a categorical slot, as the file has them; `null`, which Rasa leaves out, is not among them.
        mappings: how it is filled.
    """

    name: str
    kind: str
    values: tuple[str, ...]
    mappings: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class RasaDomain:
    """What a domain says of understanding.

    Attributes:
        forms: for each form the slots that it asks for.
        actions: what the bot can do: its own actions, responses and forms.
    """

    path: Path
    intents: tuple[str, ...]
    entities: tuple[str, ...]
    slots: tuple[DomainSlot, ...]
    forms: Mapping[str, tuple[str, ...]]
    actions: tuple[str, ...]


def read_domain(path: Path) -> RasaDomain:
    """The domain in a file.

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataNotFound, DataCorrupt: there is no such file, or it is no YAML (the same key twice is none).
        InputError: Rasa would refuse it; says which part, what it is, and what is allowed.
    """
    content = parse_yaml(read_text(path), path)
    if not isinstance(content, Mapping):
        raise InputError(str(path), content, "a Rasa domain: a mapping with `intents:`, `entities:` and `slots:`")
    _check_version(path, content.get("version"))
    slots = _part(path, content, "slots", Mapping)
    forms = _part(path, content, "forms", Mapping)
    responses = _part(path, content, "responses", Mapping)
    actions = [next(iter(action)) if isinstance(action, Mapping) else action for action in _part(path, content, "actions", list)]
    return RasaDomain(
        path,
        _names(path, _part(path, content, "intents", list), "intent", unique=True),
        _names(path, _part(path, content, "entities", list), "entity", unique=True),
        tuple(_slot(f"{path}, slot {name}", str(name), given) for name, given in slots.items()),
        {str(name): _required(f"{path}, form {name}", given) for name, given in forms.items()},
        tuple(map(str, dict.fromkeys((*actions, *responses, *forms)))),
    )


def _check_version(path: Path, version: object) -> None:
    """Rasa reads a domain of a later version, or one whose version is no string, as if it were empty."""
    allowed = f'a string of at most "{LATEST[0]}.{LATEST[1]}", such as version: "3.1"'
    if version is None:
        return
    found = _VERSION.match(version) if isinstance(version, str) else None
    if found is None or (int(found[1]), int(found[2])) > LATEST:
        raise InputError(f"{path}, version", version, allowed)


def _part(path: Path, content: Mapping[str, Any], name: str, kind: type[Any]) -> Any:
    """A part of the domain; an empty one where it is not there."""
    given = content.get(name)
    if given is None:
        return kind() if kind is list else {}
    if not isinstance(given, kind):
        raise InputError(f"{path}, {name}", given, "a list" if kind is list else "a mapping")
    return given


def _names(path: Path, entries: Sequence[Any], what: str, unique: bool) -> tuple[str, ...]:
    """Names of a list whose entries are names, or names with properties."""
    names: list[str] = []
    for entry in entries:
        if isinstance(entry, Mapping) and len(entry) == 1:
            ((name, properties),) = entry.items()
            if not isinstance(properties, Mapping) or not properties:
                raise InputError(f"{path}, {what} {name}", properties, "properties behind the colon, or no colon")
        elif isinstance(entry, str) and entry:
            name = entry
        else:
            raise InputError(f"{path}, {what}", entry, "a name, or one name with its properties")
        if unique and name in names:
            raise InputError(f"{path}, {what}", f"{name} twice", "each name once")
        names.append(str(name))
    return tuple(names)


def _slot(where: str, name: str, given: Any) -> DomainSlot:
    if not isinstance(given, Mapping):
        raise InputError(where, given, "a mapping with `type:` and `mappings:`")
    kind = given.get("type")
    if not isinstance(kind, str) or not (kind in SLOT_TYPES or _CUSTOM_TYPE.fullmatch(kind)):
        raise InputError(f"{where}, type", kind, f"{', '.join(SLOT_TYPES)}, or the path of a class such as package.module.Slot")
    if kind in SLOT_TYPES:
        allowed = _SLOT_KEYS | SLOT_TYPES[kind]
        for key in given:
            if key not in allowed:
                raise InputError(f"{where}, key", key, f"for type {kind}: {', '.join(sorted(allowed))}")
    influence = given.get("influence_conversation", False)
    if not isinstance(influence, bool) or (influence and kind == "any"):
        raise InputError(f"{where}, influence_conversation", influence, "false" if kind == "any" else "true or false")
    mappings = given.get("mappings")
    if not isinstance(mappings, list):
        raise InputError(f"{where}, mappings", mappings, "a list of mappings (since Rasa 3.0)")
    for mapping in mappings:
        _check_mapping(where, mapping)
    values = given.get("values")
    if values is not None and not isinstance(values, list):
        raise InputError(f"{where}, values", values, "a list")
    return DomainSlot(name, kind, tuple(_value(value) for value in values or () if value is not None), tuple(map(dict, mappings)))


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_mapping(where: str, mapping: Any) -> None:
    if not isinstance(mapping, Mapping):
        raise InputError(f"{where}, mapping", mapping, "a mapping with `type:`")
    kind = mapping.get("type")
    if not isinstance(kind, str) or kind not in MAPPING_TYPES:
        raise InputError(f"{where}, mapping type", kind, ", ".join(MAPPING_TYPES))
    needed = MAPPING_TYPES[kind]
    if needed and mapping.get(needed) is None:
        raise InputError(f"{where}, mapping {kind}", dict(mapping), f"one with `{needed}:`")


def _required(where: str, form: Any) -> tuple[str, ...]:
    if form is None:
        return ()
    slots = form.get("required_slots") if isinstance(form, Mapping) else form
    if not isinstance(form, Mapping) or not isinstance(slots, (list, type(None))) or (slots is None and "ignored_intents" in form):
        raise InputError(where, form, "a mapping with `required_slots:`, a list of slots")
    return tuple(map(str, slots or ()))
