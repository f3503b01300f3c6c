"""The slots of a Rasa bot that its users fill."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grice.middleware.schemas.rasa.annotation import Entity
from grice.models.errors import InputError

GIVEN_BY_USER = frozenset({"from_entity", "from_intent", "from_trigger_intent", "from_text"})
"""Types of mappings that read what the user says; with any other the bot fills the slot by itself."""


@dataclass(frozen=True)
class RasaMapping:
    """A way in which a slot is filled.

    Attributes:
        kind: its type. entity, role, group: of the entity that fills it.
        intents, other_intents: those that it is about, and those that it is not about; neither: all.
    """

    kind: str
    entity: str | None = None
    role: str | None = None
    group: str | None = None
    intents: tuple[str, ...] = ()
    other_intents: tuple[str, ...] = ()

    def applies_to(self, intent: str, entities: Collection[Entity]) -> bool:
        """Whether a turn of the intent may fill the slot in this way; `entities` are those of the intent's examples."""
        names = {intent, intent.partition("/")[0]}
        if names & set(self.intents):
            return self.kind in GIVEN_BY_USER
        if self.kind != "from_entity" or self.intents or names & set(self.other_intents):
            return False
        # As Rasa compares them: a mapping without a role is not about an entity with one.
        return (self.entity, self.role, self.group) in {(each.entity, each.role, each.group) for each in entities}


@dataclass(frozen=True)
class RasaSlot:
    """A slot that users fill.

    Attributes:
        kind: its type in the domain, or `entity`: an entity that fills no slot.
        listed: the values of a categorical slot, as the domain has them.
    """

    name: str
    kind: str
    listed: tuple[object, ...] = ()
    mappings: tuple[RasaMapping, ...] = ()

    @property
    def entities(self) -> tuple[str, ...]:
        """The entities that fill it."""
        if self.kind == "entity":
            return (self.name,)
        return tuple(dict.fromkeys(each.entity for each in self.mappings if each.kind == "from_entity" and each.entity))

    @property
    def filling(self) -> RasaMapping | None:
        """The first mapping from an entity that it has; None where no entity fills it."""
        if self.kind == "entity":
            return RasaMapping("from_entity", self.name)
        return next((each for each in self.mappings if each.kind == "from_entity" and each.entity), None)

    def is_filled_by(self, intent: str, entities: Collection[Entity]) -> bool:
        """Whether a turn of the intent may fill it; `entities` are those of the intent's examples."""
        if self.kind == "entity":
            return any(entity.entity == self.name for entity in entities)
        return any(mapping.applies_to(intent, entities) for mapping in self.mappings)


def read_slots(domain: Mapping[str, Any], asked: Collection[str], annotated: Iterable[str]) -> list[RasaSlot]:
    """The slots that users fill, then the entities that fill none.

    Args:
        asked: slots that forms ask for. annotated: entities of examples, of which the domain may not know all.

    Raises:
        InputError: a part of the domain is of the wrong kind.
    """
    given = domain.get("slots") or {}
    if not isinstance(given, Mapping):
        raise InputError("slots", given, "a mapping with `type:` and `mappings:` for each slot")
    slots = {str(name): _slot(str(name), content) for name, content in given.items()}
    entities = dict.fromkeys((*named(domain.get("entities"), "entities"), *annotated))
    filling = {entity for slot in slots.values() for entity in slot.entities}
    kept = [slot for slot in slots.values() if slot.name in asked or _is_given(slot) or slot.name in entities.keys() - filling]
    names = {slot.name for slot in kept}
    return [*kept, *(RasaSlot(name, "entity") for name in entities if name not in filling and name not in names)]


def named(entries: object, what: str) -> list[str]:
    """Names of a list whose entries are names, or names with properties.

    Raises:
        InputError: it is no such list.
    """
    if entries is None:
        return []
    if not isinstance(entries, list):
        raise InputError(what, entries, "a list of names")
    for entry in entries:
        if not (isinstance(entry, str) or (isinstance(entry, Mapping) and len(entry) == 1)):
            raise InputError(what, entry, "a name, or one name with its properties")
    return [entry if isinstance(entry, str) else str(next(iter(entry))) for entry in entries]


def _is_given(slot: RasaSlot) -> bool:
    return any(mapping.kind in GIVEN_BY_USER for mapping in slot.mappings)


def _slot(name: str, content: object) -> RasaSlot:
    if not isinstance(content, Mapping):
        raise InputError(f"slot {name}", content, "a mapping with `type:` and `mappings:`")
    values, mappings = content.get("values") or [], content.get("mappings") or []
    if not isinstance(values, list):
        raise InputError(f"values of slot {name}", values, "a list")
    if not isinstance(mappings, list) or not all(isinstance(each, Mapping) for each in mappings):
        raise InputError(f"mappings of slot {name}", mappings, "a list of mappings (since Rasa 3.0)")
    return RasaSlot(name, str(content.get("type")), tuple(values), tuple(map(_mapping, mappings)))


def _mapping(content: Mapping[str, Any]) -> RasaMapping:
    entity, role, group = (None if content.get(key) is None else str(content[key]) for key in ("entity", "role", "group"))
    intents, other = _listed(content.get("intent")), _listed(content.get("not_intent"))
    return RasaMapping(str(content.get("type")), entity, role, group, intents, other)


def _listed(value: object) -> tuple[str, ...]:
    given: Sequence[object] = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(map(str, given))
