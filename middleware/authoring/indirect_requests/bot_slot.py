"""How a bot's NLU says which value a slot has: the mapping between the slots of test items and a bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grice.middleware.authoring.augment.example import letters
from grice.middleware.authoring.indirect_requests.request_slot import BOOLEAN, RequestSlot
from grice.middleware.authoring.rasa_yaml import parse_yaml, yaml_text
from grice.middleware.runtime.yaml_files import read_text
from grice.models.errors import InputError

_KEYS = {"entity", "role", "values", "intents", "intent"}
_FORMAT = (
    "`slots:`, and for each slot any of `entity:`, `role:`, `values:` (value: its names), `intents:` (intent: value), `intent:`"
)


@dataclass(frozen=True)
class BotSlot:
    """How a bot is told, and tells, a value of one slot.

    Attributes:
        entity, role: the entity whose value is the slot's; None: no entity is.
        names: what the bot's NLU calls a value, beside the value itself.
        intents: intents that state a value by themselves, such as `no_parking: "False"`.
        intent: the intent of a turn that gives the value, for test data; None: that of `intents`.
    """

    entity: str | None = None
    role: str | None = None
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    intents: Mapping[str, str] = field(default_factory=dict)
    intent: str | None = None

    def intent_of(self, value: str) -> str | None:
        """The intent of a turn that gives `value`."""
        return next((intent for intent, stated in self.intents.items() if stated == value), self.intent)

    def found(self, parsed: Mapping[str, Any], values: Sequence[str]) -> str | None:
        """The value that parse data of the bot's NLU give the slot: one of `values`, or what else it took for one; None: nothing.

        The last entity decides, as in Rasa, where an entity comes before an intent.
        """
        entities = [entity for entity in parsed["entities"] if self.entity and entity.get("entity") == self.entity]
        said = [str(entity.get("value")) for entity in entities if self.role in (None, entity.get("role"))]
        if said:
            return self._value(said[-1], values)
        stated = self.intents.get(str((parsed.get("intent") or {}).get("name")))
        return None if stated is None else self._value(stated, values)

    def _value(self, said: str, values: Sequence[str]) -> str:
        called = {letters(name): value for value in values for name in (*self.names.get(value, ()), value)}
        return called.get(letters(said), said)


def default_bot_slots(slots: Sequence[RequestSlot], intent: str = "inform") -> dict[str, BotSlot]:
    """What is supposed where no bot is known: each slot has an entity of its name, and `intent` is how values are given."""
    return {slot.name: BotSlot(entity=slot.name, intent=intent) for slot in slots}


def read_mapping(path: Path) -> dict[str, BotSlot]:
    """The mapping in a YAML file, by slot (`price_range`, or `Restaurants_2.price_range` where names of services differ).

    Raises:
        MissingExtra: ruamel.yaml is not installed.
        DataNotFound, DataCorrupt: there is no such file, or it is no YAML.
        InputError: it is not in the format; says the slot.
    """
    content = parse_yaml(read_text(path), path)
    slots = content.get("slots") if isinstance(content, Mapping) else None
    if not isinstance(slots, Mapping) or not slots:
        raise InputError(f"{path}", content, _FORMAT)
    return {str(name): _bot_slot(given, f"{path}, slot {name}") for name, given in slots.items()}


def _bot_slot(given: Any, where: str) -> BotSlot:
    if not isinstance(given, Mapping):
        raise InputError(where, given, _FORMAT)
    for key in given:
        if key not in _KEYS:
            raise InputError(f"{where}, key", key, ", ".join(sorted(_KEYS)))
    if not given.get("entity") and not given.get("intents"):
        raise InputError(where, dict(given), "an `entity:`, or `intents:`, that says the value")
    texts = {key: given.get(key) for key in ("entity", "role", "intent")}
    for key, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise InputError(f"{where}, {key}", text, "a name")
    for key in ("values", "intents"):
        if not isinstance(given.get(key, {}), Mapping):
            raise InputError(f"{where}, {key}", given[key], "a mapping")
    names = {
        _text(value): tuple(map(_text, called if isinstance(called, list) else [called]))
        for value, called in given.get("values", {}).items()
    }
    intents = {str(intent): _text(value) for intent, value in given.get("intents", {}).items()}
    return BotSlot(texts["entity"], texts["role"], names, intents, texts["intent"])


def _text(value: object) -> str:
    """A value as text; YAML's true and false are those of the schemas."""
    return BOOLEAN[not value] if isinstance(value, bool) else str(value)


def mapping_text(slots: Mapping[str, BotSlot]) -> str:
    """The YAML that `read_mapping` reads."""

    def entry(slot: BotSlot) -> dict[str, Any]:
        names = {value: list(called) for value, called in slot.names.items()}
        parts = {"entity": slot.entity, "role": slot.role, "values": names, "intents": dict(slot.intents), "intent": slot.intent}
        return {key: value for key, value in parts.items() if value}

    return yaml_text({"slots": {name: entry(slot) for name, slot in slots.items()}})
