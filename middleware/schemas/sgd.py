"""The menu of an SGD schema (Rastogi et al. 2020): a list of services, each with its intents and slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from grice.middleware.schemas.limits import choices, phrase
from grice.models.errors import InputError
from grice.models.schema import MOST_SLOTS, BotSchema, IntentSpec, SlotSpec


def is_sgd(content: object) -> bool:
    """Whether it is a list of services."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(each, Mapping) and "service_name" in each for each in content)
    )


def schema_of_sgd(content: object) -> BotSchema:
    """The menu of the services in a `schema.json`. A name that comes in two services is made unique as `Service.name`.

    Raises:
        InputError: it is no such list, or there are more slots than a menu takes; says where.
    """
    services = [_mapping(each, f"service {place}") for place, each in enumerate(_list(content, "SGD schema"))]
    names = [_name(service, "service_name", f"service {place}") for place, service in enumerate(services)]
    slots = [_named(service, name, "slots") for service, name in zip(services, names, strict=True)]
    intents = [_named(service, name, "intents") for service, name in zip(services, names, strict=True)]
    count = sum(map(len, slots))
    if count > MOST_SLOTS:
        raise InputError(
            "SGD schema, slots",
            f"{count} of them in {len(services)} services",
            f"at most {MOST_SLOTS}; name the services that the bot offers",
        )
    many_slots, many_intents = _repeated(slots), _repeated(intents)
    return BotSchema(
        tuple(
            IntentSpec(
                _unique(service, name, many_intents),
                phrase(intent.get("description")),
                slots=tuple(_unique(service, slot, many_slots) for slot in _slots_of(intent, f"service {service}, intent {name}")),
                service=service,
            )
            for service, own in zip(names, intents, strict=True)
            for name, intent in own.items()
        ),
        tuple(
            SlotSpec(_unique(service, name, many_slots), phrase(slot.get("description")), _values(slot, f"service {service}"))
            for service, own in zip(names, slots, strict=True)
            for name, slot in own.items()
        ),
        tuple((name, phrase(service.get("description"))) for name, service in zip(names, services, strict=True)),
    )


def pick_services(content: object, services: Collection[str]) -> list[object]:
    """Only the services of these names.

    Raises:
        InputError: there is none of a name.
    """
    known = {each.get("service_name"): each for each in _list(content, "SGD schema") if isinstance(each, Mapping)}
    for name in services:
        if name not in known:
            raise InputError("service", name, ", ".join(map(str, known)) or "none: the schema has none")
    return [each for name, each in known.items() if name in services]


def _slots_of(intent: Mapping[str, Any], where: str) -> list[str]:
    """Required slots, then optional ones, which SGD writes with their defaults."""
    required, optional = intent.get("required_slots", []), intent.get("optional_slots", {})
    if not isinstance(required, list) or not isinstance(optional, (list, Mapping)):
        raise InputError(where, intent, "required_slots, a list of names, and optional_slots, names with defaults")
    return list(dict.fromkeys([*required, *optional]))


def _values(slot: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Those of a categorical slot; SGD lists some of a free one too."""
    listed = slot.get("possible_values", [])
    return choices(_list(listed, f"{where}, possible_values of slot {slot['name']}")) if slot.get("is_categorical") else ()


def _named(service: Mapping[str, Any], where: str, kind: str) -> dict[str, Mapping[str, Any]]:
    """The intents or slots of a service by name."""
    found: dict[str, Mapping[str, Any]] = {}
    for place, given in enumerate(_list(service.get(kind, []), f"service {where}, {kind}")):
        part = _mapping(given, f"service {where}, {kind}, at {place}")
        name = _name(part, "name", f"service {where}, {kind}, at {place}")
        if name in found:
            raise InputError(f"service {where}, {kind}", name, "each name once")
        found[name] = part
    return found


def _repeated(services: Sequence[Collection[str]]) -> frozenset[str]:
    """Names that come in more than one service."""
    return frozenset(name for name, count in Counter(name for names in services for name in names).items() if count > 1)


def _unique(service: str, name: str, repeated: Collection[str]) -> str:
    return f"{service}.{name}" if name in repeated else name


def _name(part: Mapping[str, Any], key: str, where: str) -> str:
    name = part.get(key)
    if not isinstance(name, str):
        raise InputError(f"{where}, {key}", name, "a text")
    return name


def _list(given: object, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise InputError(what, given, "a list")
    return given


def _mapping(given: object, where: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(where, given, "a mapping")
    return given
