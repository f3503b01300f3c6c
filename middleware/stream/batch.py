"""What is to be done with the entries of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grice.middleware.events.event import DialogueEvent
from grice.middleware.events.redis_stream import FIELD
from grice.middleware.stream.memory import Recalled, name_of
from grice.middleware.stream.sampling import is_sampled
from grice.middleware.stream.scoring import Failed
from grice.middleware.stream.source import Entry
from grice.middleware.stream.worker_settings import WorkerSettings
from grice.models.dialogue import Dialogue, Turn
from grice.models.errors import shorten

TRIES_TO_TELL = 2
"""The first time an entry is one of many when the process dies; only the second time it is alone."""

Fate = Literal["score", "user_turn", "sampled_out", "duplicate", "dead"]


@dataclass(frozen=True)
class Item:
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


def decoded(entry: Entry) -> DialogueEvent | Failed:
    """The event of an entry. What cannot be read now never can, so it is tried once."""
    line = entry.fields.get(FIELD.encode())
    if line is None:
        return Failed("InputError", f"the entry has no field {FIELD}; it has {shorten(list(entry.fields))}", entry.tries)
    try:
        return DialogueEvent.from_json(line)
    except Exception as error:  # whatever someone has put there
        return Failed(type(error).__name__, str(error), entry.tries)


def plan(found: Sequence[tuple[Entry, DialogueEvent | Failed]], recalled: Recalled, settings: WorkerSettings) -> list[Item]:
    """The fate of each entry, in order; a dialogue grows as its events pass.

    An entry that was given out `max_tries` times before, and at least once alone, ended the process each time, as far as one can
    tell: it is scored no more, and its turn is kept out of the history, where it would do the same to the turns after it.
    """
    turns: dict[str, list[Turn]] = {name: list(kept) for name, kept in recalled.turns.items()}
    done = set(recalled.done)
    items = []
    for entry, event in found:
        if isinstance(event, Failed):
            items.append(Item(entry, "dead", failed=event))
            continue
        if name_of(event) in done:
            items.append(Item(entry, "duplicate", event))
            continue
        done.add(name_of(event))
        if entry.tries > max(settings.max_tries, TRIES_TO_TELL):
            reason = Failed("WorkerDied", f"the worker died each of {entry.tries - 1} times that it had it", entry.tries - 1)
            items.append(Item(entry, "dead", event, failed=reason))
            continue
        history = turns[event.dialogue_id][-settings.history_turns :]
        turns[event.dialogue_id] = [*history, event.turn]
        items.append(_item(entry, event, history, settings))
    return items


def _item(entry: Entry, event: DialogueEvent, history: Sequence[Turn], settings: WorkerSettings) -> Item:
    if event.speaker == "user":
        return Item(entry, "user_turn", event)
    if not is_sampled(event, settings.sample):
        return Item(entry, "sampled_out", event)
    return Item(entry, "score", event, Dialogue((*history, event.turn)))
