"""Fills categorical slots of the bot from what a user message means, where the bot's own NLU found nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.shared.core.domain import Domain
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.nlu.constants import (
    ENTITIES,
    ENTITY_ATTRIBUTE_END,
    ENTITY_ATTRIBUTE_START,
    ENTITY_ATTRIBUTE_TYPE,
    ENTITY_ATTRIBUTE_VALUE,
    EXTRACTOR,
)
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.components.bot_menu import read_domain
from grice.components.grice_component import WARM_UP, Checked, GriceComponent
from grice.components.message_record import Record, put, record_of
from grice.components.pipeline_order import check_behind_extractors
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS
from grice.components.training_graph import NO_DOMAIN
from grice.middleware.capabilities.slots import SLOTS
from grice.middleware.client.backends import load_backend
from grice.middleware.slots.filling import FilledSlot, SlotDecision, SlotFilling, SlotFillingSettings
from grice.middleware.turns.entity_alignment import IMPLIED
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError

CONFIDENCE = "confidence_entity"
"""The key that Rasa's own extractors use."""


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.ENTITY_EXTRACTOR, is_trainable=True)
class SlotValueResolver(GriceComponent):
    """Adds an entity for each configured slot whose value the message means with enough `confidence`.

    The bot's own `from_entity` mapping then fills the slot. Left alone are slots whose entity the NLU has found in the message, and
    slots that have a value. List it behind every component that finds entities:

        pipeline:
          - …
          - name: grice.components.EntityAligner
          - name: grice.components.SlotValueResolver
            slots:
              price_range:
                description: how much the restaurant charges
                values: [cheap, moderate, expensive]
                entity: price  # the slot's own name if it is left out

    Entity and slot must be in the bot's domain. Without a tracker (`rasa test nlu`, `rasa shell nlu`) it works without history.
    """

    keys: ClassVar = {
        ONNX: ("slots", "confidence", "slots_model", "deadline_ms", *RUNTIME_KEYS),
        HTTP: ("slots", "confidence", *REMOTE_KEYS),
    }
    own: ClassVar = SlotFillingSettings
    stage: ClassVar = "slots"
    takes_domain: ClassVar = True
    """Training gives it the domain, see `training_graph`."""
    chosen: SlotFillingSettings
    filling: SlotFilling

    def train(self, training_data: TrainingData, *, domain: Domain = NO_DOMAIN) -> Checked:
        """Learns nothing; checks where in the pipeline it is, the slots and, if the model runs here, whether it reads the values.

        Args:
            domain: empty where only the NLU is trained, which is done without one.

        Raises:
            InvalidConfigException: something that finds entities is behind it, the domain has no such slot, entity or value, or the
                model cannot be loaded or read a value.
        """
        check_behind_extractors(self.schema, type(self).__name__)
        try:
            check_slots(self.chosen.slots, {} if domain.is_empty() else domain.as_dict())
        except InputError as error:
            raise InvalidConfigException(f"{type(self).__name__}: {error}") from error
        if self.settings.backend == ONNX:
            self.get_ready()
        return Checked()

    def load_models(self) -> None:
        check_slots(self.chosen.slots, read_domain(self.storage))
        self.filling = SlotFilling(self.chosen, load_backend(SLOTS, self.settings.where, self.chosen.slots_model))

    def warm_up(self) -> None:
        self.filling.decide(WARM_UP, self.chosen.slots)

    def look_at(self, message: Message, dialogue: Dialogue, tracker: DialogueStateTracker | None) -> None:
        entities = message.get(ENTITIES) or []
        found = {entity.get(ENTITY_ATTRIBUTE_TYPE) for entity in entities}
        asked = [slot for slot in self.chosen.slots if slot.entity not in found and not _has_value(tracker, slot)]
        decisions = self.filling.decide(dialogue, asked)
        _record(message, {decision.slot.name: _decided(decision) for decision in decisions}, _failures(decisions))
        filled = [self._entity(decision, dialogue.last.text) for decision in decisions if decision.filled]
        if filled:
            message.set(ENTITIES, [*entities, *filled], add_to_output=True)

    def leave(self, message: Message, text: str, failures: list[Record]) -> None:
        _record(message, {}, failures)

    def _entity(self, decision: SlotDecision, text: str) -> dict[str, Any]:
        return {
            ENTITY_ATTRIBUTE_TYPE: decision.slot.entity,
            ENTITY_ATTRIBUTE_VALUE: decision.value,
            ENTITY_ATTRIBUTE_START: 0,
            ENTITY_ATTRIBUTE_END: len(text),
            CONFIDENCE: decision.confidence,
            EXTRACTOR: type(self).__name__,
            IMPLIED: True,
        }


def check_slots(slots: Sequence[FilledSlot], domain: Mapping[str, Any]) -> None:
    """Return if a domain can be filled so; one that is empty is not known, as in a model of the NLU alone.

    Raises:
        InputError: it has no such slot or entity, or a categorical slot no such value.
    """
    if not domain:
        return
    known: Mapping[str, Mapping[str, Any]] = domain.get("slots") or {}
    entities = {name for each in domain.get("entities") or () for name in (each if isinstance(each, dict) else (each,))}
    for slot in slots:
        if slot.name not in known and slot.entity == slot.name:  # with an entity of its own its name is only how it is asked about
            raise InputError("slots", slot.name, f"a slot of the bot's domain: {', '.join(sorted(known))}")
        if slot.entity not in entities:
            raise InputError(f"entity of slot {slot.name}", slot.entity, f"an entity of the domain: {', '.join(sorted(entities))}")
        listed = [str(value).casefold() for value in known.get(slot.name, {}).get("values") or ()]
        for value in slot.values if listed else ():
            if value.casefold() not in listed:
                raise InputError(f"value of slot {slot.name}", value, f"a value that the domain lists: {', '.join(listed)}")


def _has_value(tracker: DialogueStateTracker | None, slot: FilledSlot) -> bool:
    known = None if tracker is None else tracker.slots.get(slot.name)
    return known is not None and known.has_been_set and known.value is not None


def _record(message: Message, slots: Record, failures: Sequence[Record]) -> None:
    record = record_of(message)
    put(message, {**record, "slots": slots, "failures": [*record.get("failures", []), *failures]})


def _decided(decision: SlotDecision) -> Record | None:
    found = decision.report.found
    if found is None:
        return None
    return {
        "value": decision.value,
        "confidence": decision.confidence,
        "ambiguous": found.ambiguous,
        "not_mentioned": found.not_mentioned,
        "filled": decision.filled,
    }


def _failures(decisions: Sequence[SlotDecision]) -> list[Record]:
    return [asdict(failure) for decision in decisions for failure in decision.report.failures]
