"""Two readings of one turn by an NLU, as the user wrote it and as it was rewritten, made into one.

What the NLU makes of the rewrite counts as much as the turn is indirect and the rewriter confident. So a direct turn that was
rewritten for nothing keeps its meaning, and a fact that the rewrite left out is not lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grice.middleware.turns.analysis import TurnAnalysis
from grice.middleware.turns.entity_alignment import align_entities
from grice.middleware.turns.pipeline import appended

READ = ("intent", "intent_ranking", "entities", "response_selector")
"""The keys of Rasa's parse data that a reading is made of."""


def weight_of(analysis: TurnAnalysis) -> float:
    """How much the reading of the rewrite counts, 0 to 1: how indirect the turn is times how sure its rewriter, or reader, was.

    The share that the verifier gives it would not do: it is near 1 for all rewrites that are told.
    """
    if analysis.rewrite is None or analysis.decision != "rewrite":
        return 0.0
    if analysis.meaning is not None:
        return analysis.meaning.indirect * analysis.rewrite.confidence
    return 0.0 if analysis.directness is None else (1 - analysis.directness.score) * analysis.rewrite.confidence


def blended(own: Mapping[str, Any], other: Mapping[str, Any], weight: float) -> dict[str, Any]:
    """What both readings say, under those of the keys `READ` that they have.

    The confidence of an intent is the mean of both. Entities are those of both; one of the rewrite counts where the user's own
    words gave no value of it, and is aligned to these words.

    Args:
        own: parse data of the turn as the user wrote it, with its `text`.
        other: parse data of the rewrite, with its `text`.
        weight: of `other`, 0 to 1.
    """
    both = {key: own[key] for key in READ if own.get(key) is not None}
    mine, others = _confidences(own), _confidences(other)
    means = {name: (1 - weight) * mine.get(name, 0.0) + weight * others.get(name, 0.0) for name in {**mine, **others}}
    if means:
        ranking = [{"name": name, "confidence": means[name]} for name in sorted(means, key=means.__getitem__, reverse=True)]
        both["intent"] = dict(ranking[0])
        if own.get("intent_ranking") or other.get("intent_ranking"):
            both["intent_ranking"] = ranking[: max(len(mine), len(others))]
        best = ranking[0]["name"]
        if other.get("response_selector") and weight * others.get(best, 0.0) > (1 - weight) * mine.get(best, 0.0):
            both["response_selector"] = other["response_selector"]
    entities = _entities(own, other)
    if entities:
        both["entities"] = entities
    return both


def _confidences(reading: Mapping[str, Any]) -> dict[Any, float]:
    """Confidence by name of the intents that a classifier found."""
    intent = reading.get("intent")
    ranking = reading.get("intent_ranking") or ([intent] if intent else [])
    return {found.get("name"): float(found.get("confidence") or 0.0) for found in ranking}


def _entities(own: Mapping[str, Any], other: Mapping[str, Any]) -> list[dict[str, Any]]:
    original, rewrite = own["text"], other["text"]
    one_text = appended(original, rewrite)
    shift = len(one_text) - len(rewrite)
    moved = [
        {**entity, "start": entity["start"] + shift, "end": entity["end"] + shift}
        for entity in other.get("entities") or []
        if "start" in entity and "end" in entity
    ]
    return align_entities([*(own.get("entities") or []), *moved], original, one_text)
