"""Slots that can be asked for indirectly: those of an SGD schema, and those of a Rasa bot with how its NLU says their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from grice.middleware.authoring.indirect_requests.bot_slot import BotSlot
from grice.middleware.authoring.indirect_requests.rasa_domain import DomainSlot, RasaDomain
from grice.middleware.authoring.indirect_requests.request_slot import BOOLEAN, RequestSlot, situation_of
from grice.models.data.sgd import ServiceSchema, SlotSchema, read_schema_file
from grice.models.errors import InputError
from grice.models.slots.inputs import words


def slots_of_schema(path: Path, services: Collection[str] = (), slots: Collection[str] = ()) -> list[RequestSlot]:
    """The categorical slots of the services in a schema file, in its order.

    Args:
        services: only these; empty: all. slots: only these names; empty: all that are categorical.

    Raises:
        DataNotFound, DataCorrupt: the file is not there, or no SGD schema.
        InputError: there is no such service or slot, a slot is not categorical, or its values cannot be used.
    """
    found = read_schema_file(path)
    for name in services:
        if name not in found:
            raise InputError("service", name, ", ".join(found))
    chosen = [service for name, service in found.items() if not services or name in services]
    known = {slot.name for service in chosen for slot in service.slots if slot.is_categorical}
    for name in slots:
        if name not in known:
            raise InputError("slot", name, f"categorical slots: {', '.join(sorted(known)) or 'none'}")
    wanted = [(service, slot) for service in chosen for slot in service.slots if slot.name in (slots or known)]
    if not wanted:
        raise InputError(f"{path}", "no categorical slot", "a schema with at least one slot whose `is_categorical` is true")
    return [
        RequestSlot(service.name, slot.name, slot.description, slot.possible_values, _situation(service, slot))
        for service, slot in wanted
    ]


def _situation(service: ServiceSchema, slot: SlotSchema) -> str:
    """What the first intent that takes the slot is for; the service itself where none does."""
    wishes = [intent.description for intent in service.intents if slot.name in intent.slots]
    return situation_of(wishes[0]) if wishes else f"User wants this: {service.description}"


USUAL_INTENT = "inform"


def slots_of_domain(domain: RasaDomain, names: Collection[str] = (), service: str = "bot") -> list[RequestSlot]:
    """The categorical and boolean slots of a bot. Domains describe no slots: a slot's name in words is its description.

    Without `names` these are the ones that an entity or an intent of the user fills; what the bot sets by itself, nobody asks for.

    Raises:
        InputError: there is no such slot, it is of another type, or its values cannot be used.
    """
    usable = {slot.name: slot for slot in domain.slots if slot.kind in ("categorical", "bool")}
    for name in names:
        if name not in usable:
            raise InputError("slot", name, f"slots of type categorical or bool: {', '.join(usable) or 'none'}")
    chosen = [slot for name, slot in usable.items() if name in names or (not names and is_given_by_user(slot))]
    if not chosen:
        raise InputError(
            f"{domain.path}, slots",
            ", ".join(usable) or "none that is categorical or bool",
            "at least one slot of type categorical (with `values:`) or bool that is filled from an entity or an intent; or name it",
        )
    return [_request_slot(domain, slot, service) for slot in chosen]


def bot_slots(domain: RasaDomain, slots: Collection[RequestSlot], intent: str | None = None) -> Mapping[str, BotSlot]:
    """How the bot's NLU gives each of `slots`, by name.

    Raises:
        InputError: as `bot_slot`.
    """
    named = {slot.name: slot for slot in domain.slots}
    return {slot.name: bot_slot(domain, named[slot.name], intent) for slot in slots}


def bot_slot(domain: RasaDomain, slot: DomainSlot, intent: str | None = None) -> BotSlot:
    """How the bot's NLU gives `slot`, by its mappings; `intent` is that of a turn which does, where mappings name none.

    Raises:
        InputError: nothing says by which intent the slot is filled.
    """
    entities = [mapping for mapping in slot.mappings if mapping["type"] == "from_entity"]
    wanted = next((name for mapping in entities for name in _listed(mapping.get("intent"))), None)
    intents = {
        name: _value(slot, mapping["value"])
        for mapping in slot.mappings
        if mapping["type"] in ("from_intent", "from_trigger_intent")
        for name in _listed(mapping.get("intent"))
    }
    given = intent or wanted or (USUAL_INTENT if USUAL_INTENT in domain.intents else None)
    if intent is not None and intent not in domain.intents:
        raise InputError("intent", intent, ", ".join(domain.intents))
    if given is None and not set(slot.values or BOOLEAN) <= set(intents.values()):
        raise InputError(
            f"{domain.path}, slot {slot.name}, intent of a turn that gives it",
            "none in its mappings",
            f"name it with --intent: {', '.join(domain.intents) or 'the domain has none'}",
        )
    first = entities[0] if entities else {}
    return BotSlot(first.get("entity"), first.get("role"), intents=intents, intent=given)


def is_given_by_user(slot: DomainSlot) -> bool:
    """Whether an entity or an intent of the user fills it."""
    return any(mapping["type"] in ("from_entity", "from_intent", "from_trigger_intent") for mapping in slot.mappings)


def _request_slot(domain: RasaDomain, slot: DomainSlot, service: str) -> RequestSlot:
    values = BOOLEAN if slot.kind == "bool" else slot.values
    description = words(slot.name)
    forms = [words(form) for form, required in domain.forms.items() if slot.name in required]
    doing = forms[0].removesuffix(" form") if forms else ""
    return RequestSlot(
        service,
        slot.name,
        description,
        values,
        f"User talks to a bot about {doing or 'something'} and is choosing the {description}",
    )


def _value(slot: DomainSlot, value: Any) -> str:
    return BOOLEAN[not value] if slot.kind == "bool" and isinstance(value, bool) else str(value)


def _listed(value: Any) -> list[str]:
    return [] if value is None else list(map(str, value)) if isinstance(value, list) else [str(value)]
