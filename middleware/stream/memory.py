"""What the worker knows of dialogues: their turns up to the entry it has finished last, and the ids of their events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grice.middleware.events.event import DialogueEvent
from grice.middleware.stream.keys import Keys
from grice.models.dialogue import Turn

EventName = tuple[str, str]
"""Dialogue id and event id: what tells events apart."""


@dataclass(frozen=True)
class Recalled:
    """What is known of the dialogues of some events.

    Attributes:
        turns: by dialogue id, the oldest first.
        done: those of the events that are dealt with already.
    """

    turns: Mapping[str, Sequence[Turn]]
    done: frozenset[EventName]


def name_of(event: DialogueEvent) -> EventName:
    """What tells the event apart."""
    return event.dialogue_id, event.event_id


def row_of(turn: Turn) -> str:
    """A turn as it is kept."""
    return json.dumps([turn.speaker, turn.text], ensure_ascii=False)


def recall(redis: Any, keys: Keys, events: Iterable[DialogueEvent]) -> Recalled:
    """What is known of the dialogues of these events, in one exchange with Redis.

    Raises:
        RedisError: Redis cannot be reached or refuses.
    """
    names = list(dict.fromkeys(map(name_of, events)))
    dialogues = list(dict.fromkeys(dialogue_id for dialogue_id, _ in names))
    with redis.pipeline(transaction=False) as pipeline:
        for dialogue_id in dialogues:
            pipeline.lrange(keys.history(dialogue_id), 0, -1)
        for dialogue_id, event_id in names:
            pipeline.zscore(keys.done(dialogue_id), event_id)
        answers = pipeline.execute(raise_on_error=False) if names else []
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    turns = {name: [Turn(*json.loads(row)) for row in rows] for name, rows in zip(dialogues, answers, strict=False)}
    scores = answers[len(dialogues) :]
    return Recalled(turns, frozenset(name for name, score in zip(names, scores, strict=True) if score is not None))
