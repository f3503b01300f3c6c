"""Reads what a user message means against the bot's own menu: fills slots, and corrects an intent that the NLU is not sure of."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.nlu.constants import (
    ENTITIES,
    ENTITY_ATTRIBUTE_END,
    ENTITY_ATTRIBUTE_GROUP,
    ENTITY_ATTRIBUTE_ROLE,
    ENTITY_ATTRIBUTE_START,
    ENTITY_ATTRIBUTE_TYPE,
    ENTITY_ATTRIBUTE_VALUE,
    EXTRACTOR,
    INTENT,
    INTENT_NAME_KEY,
    INTENT_RANKING_KEY,
    PREDICTED_CONFIDENCE_KEY,
)
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.components.bot_menu import keep_menu, read_menu
from grice.components.grice_component import WARM_UP, Checked, GriceComponent
from grice.components.menu_fit import only_told, patient, tell_misread
from grice.components.message_record import Record, put, record_of
from grice.components.pipeline_order import check_behind_nlu
from grice.components.settings import HTTP, ONNX, REMOTE_KEYS, RUNTIME_KEYS
from grice.components.slot_value_resolver import CONFIDENCE
from grice.middleware.capabilities.meaning import MEANING, MeaningReport
from grice.middleware.client.backends import load_backend, warm_up
from grice.middleware.meaning.resolving import NluReading, ResolvingSettings, resolve
from grice.middleware.schemas.rasa.slots import RasaMapping
from grice.middleware.turns.entity_alignment import IMPLIED
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.meaning.results import MeaningQuestion, SlotMeaning
from grice.models.protocols import Predicts
from grice.models.schema import BotSchema

log = logging.getLogger(__name__)


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.ENTITY_EXTRACTOR, is_trainable=True)
class MeaningResolver(GriceComponent):
    """Reads each message, in the light of the conversation, against the menu of the bot: its intents, by their examples, and slots.

    It adds an entity for each slot whose value the message means, so that the bot's own `from_entity` mapping fills the slot. Left
    alone are slots whose entity the NLU has found in the message, and slots that have a value unless the user takes something back.
    The intent is replaced where the NLU is less sure of its own than `sure_nlu` and the reader as sure as `overrule_above`. Where
    the reader does not know what the message means, the intent stays. List it behind what finds intents and entities:

        pipeline:
          - …
          - name: grice.components.EntityAligner
          - name: grice.components.MeaningResolver

    The menu is read from the bot's own domain and training data; there is nothing to configure. Without a tracker (`rasa test
    nlu`, `rasa shell nlu`) it works without history; of a model of the NLU alone (`rasa train nlu`) entities are the slots.
    """

    keys: ClassVar = {
        ONNX: ("overrule_above", "sure_nlu", "fill_from", "meaning_model", "deadline_ms", *RUNTIME_KEYS),
        HTTP: ("overrule_above", "sure_nlu", "fill_from", *REMOTE_KEYS),
    }
    own: ClassVar = ResolvingSettings
    stage: ClassVar = "meaning"
    chosen: ResolvingSettings
    model: Predicts[MeaningQuestion, MeaningReport]
    menu: BotSchema
    mappings: Mapping[str, RasaMapping]

    def train(self, training_data: TrainingData) -> Checked:
        """Keeps what the training data say of the menu; checks where in the pipeline it is and that there is a menu to read.

        Says in the log how many of the bot's own examples its model reads as another intent.

        Raises:
            InvalidConfigException: something that finds entities or intents is behind it, the bot has too many intents or slots, or
                the model cannot be loaded.
        """
        check_behind_nlu(self.schema, type(self).__name__)
        keep_menu(self.storage, self.resource, training_data)
        self.get_ready()
        if self.settings.backend == ONNX:
            with only_told(type(self).__name__):
                settings = patient(self.settings.pipeline)
                tell_misread(type(self).__name__, self.menu, load_backend(MEANING, settings, self.chosen.meaning_model))
        return Checked()

    def load_models(self) -> None:
        menu = read_menu(self.storage, self.resource)
        if menu is None:
            raise InputError(
                "the bot's menu", "nothing in this model", "a model that was trained with the component; train it again"
            )
        self.menu, self.mappings = menu.schema, menu.mappings
        self.model = load_backend(MEANING, self.settings.where, self.chosen.meaning_model)

    def warm_up(self) -> None:
        warm_up(self.model, [MeaningQuestion(WARM_UP, self.menu)])

    def look_at(self, message: Message, dialogue: Dialogue, tracker: DialogueStateTracker | None) -> None:
        (report,) = self.model.predict([MeaningQuestion(dialogue, self.menu)])
        if report.found is None:
            self.leave(message, dialogue.last.text, [asdict(failure) for failure in report.failures])
            return
        entities, nlu = message.get(ENTITIES) or [], self._reading(message, tracker)
        effect = resolve(report.found, nlu, self.chosen, self.menu)
        filled = [
            self._entity(slot, self.mappings[slot.slot], dialogue.last.text) for slot in effect.slots if slot.slot in self.mappings
        ]
        if filled:
            message.set(ENTITIES, [*entities, *filled], add_to_output=True)
        if effect.intent:
            _set_intent(message, effect.intent, report.found.confidence)
        overruled = {"intent": nlu.intent, "confidence": nlu.confidence} if effect.intent else None
        names = [entity[ENTITY_ATTRIBUTE_TYPE] for entity in filled]
        _record(message, {**asdict(report.found), "filled": names, "overruled": overruled}, [])
        log.info(
            "meaning: %s %s (%.2f); filled: %s; intent of the NLU overruled: %s",
            report.found.kind,
            report.found.meaning,
            report.found.confidence,
            ", ".join(names) or "nothing",
            "yes" if overruled else "no",
        )

    def leave(self, message: Message, text: str, failures: list[Record]) -> None:
        _record(message, None, failures)

    def _reading(self, message: Message, tracker: DialogueStateTracker | None) -> NluReading:
        intent = message.get(INTENT) or {}
        found = {entity.get(ENTITY_ATTRIBUTE_TYPE) for entity in message.get(ENTITIES) or []}
        return NluReading(
            intent.get(INTENT_NAME_KEY) or "",
            float(intent.get(PREDICTED_CONFIDENCE_KEY) or 0.0),
            {slot for slot, mapping in self.mappings.items() if mapping.entity in found},
            {name for name, slot in tracker.slots.items() if slot.has_been_set and slot.value is not None} if tracker else (),
        )

    def _entity(self, slot: SlotMeaning, mapping: RasaMapping, text: str) -> dict[str, Any]:
        parts = {ENTITY_ATTRIBUTE_ROLE: mapping.role, ENTITY_ATTRIBUTE_GROUP: mapping.group}
        return {
            ENTITY_ATTRIBUTE_TYPE: mapping.entity,
            ENTITY_ATTRIBUTE_VALUE: slot.values[0],
            **{key: value for key, value in parts.items() if value is not None},
            ENTITY_ATTRIBUTE_START: 0,
            ENTITY_ATTRIBUTE_END: len(text),
            CONFIDENCE: slot.confidence,
            EXTRACTOR: type(self).__name__,
            IMPLIED: True,
        }


def _set_intent(message: Message, name: str, confidence: float) -> None:
    intent = {INTENT_NAME_KEY: name, PREDICTED_CONFIDENCE_KEY: confidence}
    others = [each for each in message.get(INTENT_RANKING_KEY) or [] if each.get(INTENT_NAME_KEY) != name]
    message.set(INTENT, intent, add_to_output=True)
    message.set(INTENT_RANKING_KEY, [intent, *others], add_to_output=True)


def _record(message: Message, meaning: Record | None, failures: list[Record]) -> None:
    record = record_of(message)
    put(message, {**record, "meaning": meaning, "failures": [*record.get("failures", []), *failures]})
