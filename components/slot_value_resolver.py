"""Fills categorical slots of the bot from what a user message means, where the bot's own NLU found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from rasa.engine.graph import ExecutionContext, GraphSchema
from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
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

from grice.components.grice_component import WARM_UP, Checked, GriceComponent
from grice.components.history import dialogue_of
from grice.components.message_record import Record, failure_of, put, record_of
from grice.components.pipeline_order import check_behind_extractors
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS, ComponentSettings, read_settings
from grice.middleware.capabilities.slots import SLOTS
from grice.middleware.client.backends import load_backend
from grice.middleware.slots.filling import FilledSlot, SlotDecision, SlotFilling, SlotFillingSettings
from grice.middleware.turns.entity_alignment import IMPLIED
from grice.models.errors import DeadlineExceeded, GriceError, InputError, ServiceError

OWN_KEYS = ("slots", "confidence", "slots_model")
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
        ONNX: (*OWN_KEYS, "deadline_ms", *RUNTIME_KEYS),
        HTTP: ("slots", "confidence", *REMOTE_KEYS),
    }
    filling: SlotFilling

    def __init__(self, settings: ComponentSettings, schema: GraphSchema, chosen: SlotFillingSettings) -> None:
        super().__init__(settings, schema)
        self.chosen = chosen

    @classmethod
    def create(
        cls, config: dict[str, Any], model_storage: ModelStorage, resource: Resource, execution_context: ExecutionContext
    ) -> SlotValueResolver:
        settings = read_settings(cls.__name__, config, cls.keys, OWN_KEYS)
        try:
            chosen = SlotFillingSettings.of(**{key: config[key] for key in OWN_KEYS if key in config})
        except GriceError as error:
            raise InvalidConfigException(f"{cls.__name__}: {error}") from error
        return cls(settings, execution_context.graph_schema, chosen)

    def train(self, training_data: TrainingData) -> Checked:
        """Learns nothing; checks where in the pipeline it is and, if the model runs here, whether it reads the values.

        Raises:
            InvalidConfigException: something that finds entities is behind it, or the model cannot be loaded or read a value.
        """
        check_behind_extractors(self.schema, type(self).__name__)
        if self.settings.backend == ONNX:
            self.get_ready()
        return Checked()

    def load_models(self) -> None:
        self.filling = SlotFilling(self.chosen, load_backend(SLOTS, self.settings.where, self.chosen.slots_model))
        try:
            self.filling.decide(WARM_UP, self.chosen.slots)
        except (ServiceError, DeadlineExceeded):  # it may come later; messages say if it did not
            return

    def look_at(self, message: Message, text: str, tracker: DialogueStateTracker | None) -> None:
        try:
            dialogue = dialogue_of(text, tracker, self.settings.history_turns)
        except InputError:
            _record(message, {}, [])
            return
        entities = message.get(ENTITIES) or []
        found = {entity.get(ENTITY_ATTRIBUTE_TYPE) for entity in entities}
        asked = [slot for slot in self.chosen.slots if slot.entity not in found and not _has_value(tracker, slot)]
        decisions = self.filling.decide(dialogue, asked)
        _record(message, {decision.slot.name: _decided(decision) for decision in decisions}, _failures(decisions))
        filled = [self._entity(decision, text) for decision in decisions if decision.filled]
        if filled:
            message.set(ENTITIES, [*entities, *filled], add_to_output=True)

    def give_up(self, message: Message, text: str, error: Exception) -> None:
        _record(message, {}, [failure_of(error, "slots")])

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
