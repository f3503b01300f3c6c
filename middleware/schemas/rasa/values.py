"""The values of a Rasa bot's slot, where its domain or its training data list them all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from grice.middleware.schemas.limits import TRUTH, choices
from grice.middleware.schemas.rasa.annotation import Entity
from grice.middleware.schemas.rasa.slots import RasaSlot

REST = "__other__"
"""What Rasa puts into a categorical slot for a value that is not listed."""


def values_of(
    slot: RasaSlot,
    spans: Collection[tuple[str, Entity]],
    lookups: Mapping[str, Sequence[str]],
    synonyms: Mapping[str, Sequence[str]],
) -> tuple[str, ...]:
    """The possible values of a slot; none where any text may be one.

    Args:
        spans: what is annotated in all examples, the words and their entity. lookups, synonyms: as in `schema_of_rasa`.
    """
    if slot.kind == "categorical":
        return choices(value for value in slot.listed if value != REST)
    if slot.kind == "bool":
        return TRUTH
    listed = [value for entity in slot.entities for value in lookups.get(entity, ())]
    stands_for = {way.casefold(): value for value, own in synonyms.items() for way in own}
    listed = [stands_for.get(value.casefold(), value) for value in listed]
    return choices(listed) if listed else _canonical([span for span in spans if span[1].entity in slot.entities], synonyms)


def _canonical(spans: Collection[tuple[str, Entity]], synonyms: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What the spans stand for, if each of them stands for a value that has a synonym, and not for itself."""
    given = [(said, str(entity.value)) for said, entity in spans if entity.value is not None]
    ways = [*given, *((way, value) for value, own in synonyms.items() for way in own)]
    meant = {text.casefold(): value for way, value in ways for text in (way, value)}
    values = [meant.get(said.casefold()) if entity.value is None else str(entity.value) for said, entity in spans]
    return choices(values) if None not in values and len(set(values)) > 1 else ()
