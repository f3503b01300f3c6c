"""The slots of an SGD schema."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from grice.middleware.authoring.indirect_requests.request_slot import RequestSlot, situation_of
from grice.models.data.sgd import ServiceSchema, SlotSchema, read_schema_file
from grice.models.errors import InputError


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
