"""What is to be done with the entries of a batch: their events, the history before each, and the fate of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grice.middleware.events.event import DialogueEvent
from grice.middleware.events.redis_stream import FIELD
from grice.middleware.stream.ownership import Keys
from grice.middleware.stream.scoring import Failed
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.source import Entry
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import shorten

TRIES_TO_TELL = 2
"""The first time an entry is one of many when the process dies; only the second time it is alone."""

Fate = Literal["score", "user_turn", "sampled_out", "duplicate", "dead"]
EventName = tuple[str, str]
"""What its dialogue is kept as, and event id: what tells events apart."""


@dataclass(frozen=True)
class PlannedEntry:
    """An entry and its fate.

    Attributes:
        event: what it holds; None where that is no event.
        dialogue: the event's turn after the turns before it, where it is to be scored.
        failed: why it goes to the dead letters.
    """

    entry: Entry
    fate: Fate
    event: DialogueEvent | None = None
    dialogue: Dialogue | None = None
    failed: Failed | None = None


@dataclass(frozen=True)
class Recalled:
    """What is known of the dialogues of some events.

    Attributes:
        turns: by what their dialogue is kept as, the oldest first.
        done: those of the events that are dealt with already.
    """

    turns: Mapping[str, Sequence[Turn]]
    done: frozenset[EventName]


def decode(entry: Entry) -> DialogueEvent | Failed:
    """The event of an entry. What cannot be read now never can, so it is tried once."""
    line = entry.fields.get(FIELD.encode())
    if line is None:
        return Failed("InputError", f"the entry has no field {FIELD}; it has {shorten(list(entry.fields))}", entry.tries)
    try:
        return DialogueEvent.from_json(line)
    except Exception as error:  # noqa: BLE001 - one bad entry; whatever someone has put there
        return Failed(type(error).__name__, str(error), entry.tries)


def recall(redis: Any, keys: Keys, events: Iterable[DialogueEvent]) -> Recalled:
    """What is known of the dialogues of these events, in one exchange with Redis.

    Raises:
        RedisError: Redis cannot be reached or refuses.
    """
    names = list(dict.fromkeys(map(name_of, events)))
    dialogues = list(dict.fromkeys(dialogue for dialogue, _ in names))
    with redis.pipeline(transaction=False) as pipeline:
        for dialogue in dialogues:
            pipeline.lrange(keys.history(dialogue), 0, -1)
        for dialogue, event_id in names:
            pipeline.zscore(keys.done(dialogue), event_id)
        answers = pipeline.execute(raise_on_error=False) if names else []
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    turns = {name: [Turn(*json.loads(row)) for row in rows] for name, rows in zip(dialogues, answers, strict=False)}
    scores = answers[len(dialogues) :]
    return Recalled(turns, frozenset(name for name, score in zip(names, scores, strict=True) if score is not None))


def plan(found: Sequence[tuple[Entry, DialogueEvent | Failed]], recalled: Recalled, settings: WorkerSettings) -> list[PlannedEntry]:
    """The fate of each entry, in order; a dialogue grows as its events pass.

    An entry that was given out `max_tries` times before, and at least once alone, ended the process each time, as far as one can
    tell: it is scored no more, and its turn is kept out of the history, where it would do the same to the turns after it.
    """
    turns: dict[str, list[Turn]] = {name: list(kept) for name, kept in recalled.turns.items()}
    done = set(recalled.done)
    planned = []
    for entry, event in found:
        if isinstance(event, Failed):
            planned.append(PlannedEntry(entry, "dead", failed=event))
            continue
        if name_of(event) in done:
            planned.append(PlannedEntry(entry, "duplicate", event))
            continue
        done.add(name_of(event))
        if entry.tries > max(settings.max_tries, TRIES_TO_TELL):
            reason = Failed("WorkerDied", f"the worker died each of {entry.tries - 1} times that it had it", entry.tries - 1)
            planned.append(PlannedEntry(entry, "dead", event, failed=reason))
            continue
        history = turns[event.kept_as][-settings.history_turns :]
        turns[event.kept_as] = [*history, event.turn]
        planned.append(_plan_one(entry, event, history, settings))
    return planned


def _plan_one(entry: Entry, event: DialogueEvent, history: Sequence[Turn], settings: WorkerSettings) -> PlannedEntry:
    if event.speaker == "user":
        return PlannedEntry(entry, "user_turn", event)
    if not is_sampled(event, settings.sample):
        return PlannedEntry(entry, "sampled_out", event)
    return PlannedEntry(entry, "score", event, Dialogue((*history, event.turn)))


def name_of(event: DialogueEvent) -> EventName:
    """What tells the event apart."""
    return event.kept_as, event.event_id


def row_of(turn: Turn) -> str:
    """A turn as it is kept."""
    return json.dumps([turn.speaker, turn.text], ensure_ascii=False)


def is_sampled(event: DialogueEvent, share: float) -> bool:
    """Whether the event is among the `share` (0 to 1) that is scored: the same answer for the same ids, in every process."""
    digest = hashlib.sha256(f"{event.dialogue_id}\n{event.event_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
