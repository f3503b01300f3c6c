"""Two readings of one message, as the user wrote it and as it was rewritten, made into one.

The NLU reads both; what it makes of the rewrite counts as much as the turn is indirect and the rewriter confident. So a direct
turn that was rewritten for nothing keeps its meaning, and a fact that the rewrite left out is not lost.
"""

from __future__ import annotations

from typing import Any

from rasa.nlu.constants import RESPONSE_SELECTOR_PROPERTY_NAME
from rasa.shared.nlu.constants import (
    ENTITIES,
    INTENT,
    INTENT_NAME_KEY,
    INTENT_RANKING_KEY,
    PREDICTED_CONFIDENCE_KEY,
    TEXT,
)
from rasa.shared.nlu.training_data.message import Message

from grice.middleware import appended
from grice.middleware.analysis import TurnAnalysis
from grice.middleware.entity_alignment import align_entities

WEIGHT = "grice_weight"
"""On the second reading of a message: how much it counts, 0 to 1."""


def weight_of(analysis: TurnAnalysis) -> float:
    """How much the reading of the rewrite counts, 0 to 1: indirectness of the turn times confidence of the rewriter."""
    if analysis.directness is None or analysis.rewrite is None or analysis.decision != "rewrite":
        return 0.0
    return (1 - analysis.directness.score) * analysis.rewrite.confidence


def second_reading(message: Message, rewrite: str, weight: float) -> Message:
    """The message as it is read in its rewritten form; it follows the message through the pipeline."""
    return Message(data={**message.data, TEXT: rewrite, WEIGHT: weight}, output_properties=set(message.output_properties))


def is_second_reading(message: Message) -> bool:
    """Whether `second_reading` made it."""
    return message.get(WEIGHT) is not None


def blend(message: Message, reading: Message) -> None:
    """Set on `message` what both readings say: the mean of their intents' confidences, and the entities of both.

    An entity of the rewrite counts where the user's own words gave no value of it; it is aligned to these words.
    """
    weight = float(reading.get(WEIGHT))
    entities = _entities(message, reading)
    own, other = _confidences(message), _confidences(reading)
    blended = {name: (1 - weight) * own.get(name, 0.0) + weight * other.get(name, 0.0) for name in {**own, **other}}
    if blended:
        ranking = [
            {INTENT_NAME_KEY: name, PREDICTED_CONFIDENCE_KEY: blended[name]}
            for name in sorted(blended, key=blended.__getitem__, reverse=True)
        ]
        best = ranking[0][INTENT_NAME_KEY]
        message.set(INTENT, dict(ranking[0]), add_to_output=True)
        message.set(INTENT_RANKING_KEY, ranking[: max(len(own), len(other))], add_to_output=True)
        selected = reading.get(RESPONSE_SELECTOR_PROPERTY_NAME)
        if selected and weight * other.get(best, 0.0) > (1 - weight) * own.get(best, 0.0):
            message.set(RESPONSE_SELECTOR_PROPERTY_NAME, selected, add_to_output=True)
    if entities:
        message.set(ENTITIES, entities, add_to_output=True)


def _confidences(message: Message) -> dict[Any, float]:
    """Confidence by name of the intents that a classifier found."""
    intent = message.get(INTENT)
    ranking = message.get(INTENT_RANKING_KEY) or ([intent] if intent else [])
    return {found.get(INTENT_NAME_KEY): float(found.get(PREDICTED_CONFIDENCE_KEY) or 0.0) for found in ranking}


def _entities(message: Message, reading: Message) -> list[dict[str, Any]]:
    original, rewrite = message.get(TEXT), reading.get(TEXT)
    both = appended(original, rewrite)
    shift = len(both) - len(rewrite)
    moved = [
        {**entity, "start": entity["start"] + shift, "end": entity["end"] + shift}
        for entity in reading.get(ENTITIES) or []
        if "start" in entity
    ]
    return align_entities([*(message.get(ENTITIES) or []), *moved], original, both)
