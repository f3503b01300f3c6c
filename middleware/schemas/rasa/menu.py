"""The menu of a Rasa bot, from what is already loaded: the domain and the training examples.

schema_of_rasa(domain.as_dict(), {"greet": ["hello", "hi"], "book": ["a table in [Ely](city)"]})
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grice.middleware.schemas.limits import examples as fitting
from grice.middleware.schemas.rasa.annotation import Entity, parse_annotated
from grice.middleware.schemas.rasa.slots import RasaMapping, RasaSlot, named, read_slots
from grice.middleware.schemas.rasa.values import values_of
from grice.models.errors import InputError
from grice.models.schema import BotSchema, IntentSpec, SlotSpec

DEFAULT_INTENTS = frozenset({"restart", "back", "out_of_scope", "session_start", "nlu_fallback"})
"""Rasa's own (`rasa.shared.core.constants.DEFAULT_INTENTS`)."""
NOTHING: Mapping[str, Sequence[str]] = {}


@dataclass(frozen=True)
class _Intent:
    """An intent with the plain texts of its examples, and what is annotated in them: the words and their entity."""

    name: str
    texts: tuple[str, ...]
    spans: tuple[tuple[str, Entity], ...]

    @property
    def entities(self) -> list[Entity]:
        """The entities that its examples annotate."""
        return [entity for _, entity in self.spans]


def schema_of_rasa(
    domain: Mapping[str, Any],
    examples: Mapping[str, Sequence[str]],
    *,
    lookups: Mapping[str, Sequence[str]] = NOTHING,
    synonyms: Mapping[str, Sequence[str]] = NOTHING,
    triggers: Mapping[str, Sequence[str]] = NOTHING,
) -> BotSchema:
    """The menu of a Rasa 3.6 bot.

    Intents are those of the domain and of the examples, without Rasa's own; one with a response selector is its `name/part`s. Slots
    are those that an entity, an intent or a text of the user fills or that a form asks for, and the entities that fill none. A slot
    has values where it is categorical or boolean, where a lookup table lists them, or where every annotated span has a synonym.
    A slot belongs to an intent whose examples annotate its entity, that its mappings name, or that starts a form which asks for it.

    Args:
        domain: as `domain.yml` says it, or `Domain.as_dict()`.
        examples: for each intent its examples; entities are annotated as in `nlu.yml`.
        lookups: for each entity the entries of its lookup table.
        synonyms: for each value the ways to say it.
        triggers: for each intent the forms that it starts, beside those that mappings name.

    Raises:
        InputError: a part of the domain is of the wrong kind, or the bot has more intents or slots than a menu takes.
    """
    intents, forms = _intents(domain, examples), _forms(domain)
    spans = [span for intent in intents for span in intent.spans]
    slots = _slots(domain, intents, forms)
    started = {
        (intent, asked)
        for form, required in forms.items()
        for intent in (*(name for name, own in triggers.items() if form in own), *_triggering(slots, required))
        for asked in required
    }
    return BotSchema(
        tuple(IntentSpec(intent.name, "", fitting(intent.texts), _slots_of(intent, slots, started)) for intent in intents),
        tuple(SlotSpec(slot.name, "", values_of(slot, spans, lookups, synonyms)) for slot in slots),
    )


def mappings_of_rasa(domain: Mapping[str, Any], examples: Mapping[str, Sequence[str]]) -> dict[str, RasaMapping]:
    """For each slot of the menu that an entity fills, how: the first such mapping that the domain has.

    Args:
        domain, examples: as in `schema_of_rasa`.

    Raises:
        InputError: a part of the domain is of the wrong kind.
    """
    slots = _slots(domain, _intents(domain, examples), _forms(domain))
    return {slot.name: slot.filling for slot in slots if slot.filling is not None}


def _slots(domain: Mapping[str, Any], intents: Sequence[_Intent], forms: Mapping[str, Sequence[str]]) -> list[RasaSlot]:
    annotated = [entity.entity for intent in intents for entity in intent.entities]
    return read_slots(domain, [slot for asked in forms.values() for slot in asked], annotated)


def _intents(domain: Mapping[str, Any], examples: Mapping[str, Sequence[str]]) -> list[_Intent]:
    divided = {name.partition("/")[0] for name in examples if "/" in name}
    names = dict.fromkeys((*named(domain.get("intents"), "intents"), *examples))
    return [
        _read(name, examples.get(name, ()))
        for name in names
        if name.partition("/")[0] not in DEFAULT_INTENTS and name not in divided
    ]


def _read(name: str, given: Iterable[str]) -> _Intent:
    try:
        lines = [parse_annotated(line) for line in given]
    except InputError as error:
        raise InputError(f"example of intent {name}, {error.what}", error.got, error.allowed) from error
    spans = tuple((text[entity.start : entity.end], entity) for text, entities in lines for entity in entities)
    return _Intent(name, tuple(text for text, _ in lines), spans)


def _forms(domain: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """For each form the slots that it asks for."""
    forms = domain.get("forms") or {}
    if not isinstance(forms, Mapping):
        raise InputError("forms", forms, "a mapping with `required_slots:` for each form")
    asked = {name: form.get("required_slots") or [] if isinstance(form, Mapping) else [] for name, form in forms.items()}
    for name, required in asked.items():
        if not isinstance(required, list):
            raise InputError(f"form {name}, required_slots", required, "a list of slots")
    return {str(name): tuple(map(str, required)) for name, required in asked.items()}


def _triggering(slots: Sequence[RasaSlot], required: Collection[str]) -> list[str]:
    """The intents that start a form, as mappings of its slots say."""
    own = [mapping for slot in slots if slot.name in required for mapping in slot.mappings]
    return [intent for mapping in own if mapping.kind == "from_trigger_intent" for intent in mapping.intents]


def _slots_of(intent: _Intent, slots: Sequence[RasaSlot], started: Collection[tuple[str, str]]) -> tuple[str, ...]:
    # Rules and mappings know the whole of a response selector, not its parts.
    names = {intent.name, intent.name.partition("/")[0]}
    return tuple(
        slot.name
        for slot in slots
        if slot.is_filled_by(intent.name, intent.entities) or any((name, slot.name) in started for name in names)
    )
