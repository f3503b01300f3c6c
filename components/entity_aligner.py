"""Makes intent, text, tokens and entities of a message those of what the user wrote again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rasa.engine.graph import ExecutionContext, GraphComponent
from rasa.engine.recipes.default_recipe import DefaultV1Recipe
from rasa.engine.storage.resource import Resource
from rasa.engine.storage.storage import ModelStorage
from rasa.nlu.tokenizers.whitespace_tokenizer import WhitespaceTokenizer
from rasa.shared.nlu.constants import ENTITIES, EXTRACTOR, INTENT, PREDICTED_CONFIDENCE_KEY, TEXT, TEXT_TOKENS
from rasa.shared.nlu.training_data.message import Message
from rasa.shared.nlu.training_data.training_data import TrainingData

from grice.components.blending import blend, is_second_reading
from grice.components.message_record import SURE_NLU, failure_of, put, record_of
from grice.components.pipeline_order import check_no_fallback_before
from grice.components.settings import refuse_keys
from grice.components.training_graph import TRAINING_GRAPH
from grice.middleware.turns.entity_alignment import IMPLIED, align_entities
from grice.middleware.turns.parse_data import without_question

FOUND_BY = "found_by"
"""On an entity of which the aligner is the extractor: who found it in the rewrite."""

log = logging.getLogger(__name__)


@DefaultV1Recipe.register(DefaultV1Recipe.ComponentType.ENTITY_EXTRACTOR, is_trainable=True)
class EntityAligner(GraphComponent):
    """Moves entities that were found in a rewrite to where the user's own text supports them; blends two readings into one.

    A question that the rewriter has for the user is taken back where the NLU is sure of its intent.

    List it after the last entity extractor and intent classifier; a `FallbackClassifier` goes behind it. Takes no keys.

    It is registered as trainable so that a training graph shows that it is there; it learns nothing.
    """

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self._tokenizer = WhitespaceTokenizer(WhitespaceTokenizer.get_default_config())

    @classmethod
    def create(
        cls, config: dict[str, Any], model_storage: ModelStorage, resource: Resource, execution_context: ExecutionContext
    ) -> EntityAligner:
        """The component.

        Raises:
            InvalidConfigException: a key was given, or, in a model that is loaded, a `FallbackClassifier` is in front of it.
        """
        refuse_keys(cls.__name__, config)
        check_no_fallback_before(execution_context.graph_schema, cls)
        return cls(resource)

    def train(self, training_data: TrainingData) -> Resource:
        """Learns nothing; checks where in the pipeline it is.

        Raises:
            InvalidConfigException: a `FallbackClassifier` is in front of it.
        """
        check_no_fallback_before(TRAINING_GRAPH.prediction, type(self))
        return self._resource

    def process(self, messages: list[Message]) -> list[Message]:
        """The messages, with text, tokens and entities as if the NLU had read what the user wrote; second readings are gone."""
        kept: list[Message] = []
        for message in messages:
            if is_second_reading(message):
                self._guarded(kept[-1], partial(blend, reading=message))
            else:
                self._guarded(message, self._align)
                kept.append(message)
        for message in kept:
            self._guarded(message, settle)
            self._guarded(message, _credit)
        return kept

    def _guarded(self, message: Message, work: Callable[[Message], None]) -> None:
        """Do `work`; no failure of ours may cost the bot a message."""
        try:
            work(message)
        except Exception as error:  # noqa: BLE001 - a failure of ours costs the bot no message
            log.warning("EntityAligner failed, the message goes on as it is: %s", type(error).__name__)
            record = record_of(message)
            put(message, {**record, "failures": [*record.get("failures", []), failure_of(error, "guard")]})
            original = record.get("original") or message.get(TEXT)
            found = message.get(ENTITIES) or []
            if message.get(TEXT) != original and found:
                whole = [{**entity, "start": 0, "end": len(original), IMPLIED: True} for entity in found]
                message.set(ENTITIES, whole, add_to_output=True)
            message.set(TEXT, original, add_to_output=True)

    def _align(self, message: Message) -> None:
        original, text, found = record_of(message).get("original"), message.get(TEXT), message.get(ENTITIES) or []
        if original is None or text == original:
            return
        entities = align_entities(found, original, text)
        message.set(TEXT, original, add_to_output=True)
        if found:
            message.set(ENTITIES, entities, add_to_output=True)
        if message.get(TEXT_TOKENS):
            message.set(TEXT_TOKENS, self._tokenizer.tokenize(message, TEXT))


def settle(message: Message) -> None:
    """Take the question to the user back where the NLU is sure of its intent."""
    sure = message.get(SURE_NLU)
    confidence = float((message.get(INTENT) or {}).get(PREDICTED_CONFIDENCE_KEY) or 0.0)
    if sure is not None and confidence >= sure:
        put(message, without_question(record_of(message)))


def _credit(message: Message) -> None:
    """Name the aligner as the extractor of entities that overlap others of the same one, as those that span the whole turn do.

    Rasa takes it that no two entities of one extractor overlap: `rasa test nlu` ends with an error where they do.
    """
    found = message.get(ENTITIES) or []
    credited = [_credited(entity, found) for entity in found]
    if credited != found:
        message.set(ENTITIES, credited, add_to_output=True)


def _credited(entity: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    others = [other for other in found if other is not entity and other.get(EXTRACTOR) == entity.get(EXTRACTOR)]
    if entity.get(IMPLIED) is True or any(_overlap(entity, other) and not other.get(IMPLIED) for other in others):
        return {**entity, FOUND_BY: entity.get(FOUND_BY) or entity.get(EXTRACTOR), EXTRACTOR: EntityAligner.__name__}
    return dict(entity)


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["start"] < other["end"] and other["start"] < one["end"])
