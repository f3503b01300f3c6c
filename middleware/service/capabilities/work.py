"""How much work an item is for a model, before it is read: about as many units as the model reads tokens."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from grice.models.dialogue import Turn
from grice.models.schema import BotSchema

CHARACTERS = 4
"""Of a token, about."""
EACH = 4
"""Units for each text beside its tokens, and for each item."""
MOST_PHRASE = 32
"""Tokens that are read of the words of an option."""


def text_work(text: str, most: int) -> int:
    """Units for a text of which a model reads at most `most` tokens."""
    return EACH + min(most, len(text) // CHARACTERS)


def end_work(turns: Sequence[Turn], most: int) -> int:
    """Units for a dialogue of whose end a model reads at most `most` tokens in all."""
    read = EACH
    for turn in reversed(turns):
        read += text_work(turn.text, most)
        if read >= most:
            return most
    return read


def option_texts(schema: BotSchema) -> Iterable[str]:
    """What is read of a menu."""
    for intent in schema.intents:
        yield intent.name + intent.description
        yield from intent.examples
    for slot in schema.slots:
        yield slot.name + slot.description
        yield from (slot.description + value for value in slot.values)


def menu_work(schema: BotSchema) -> int:
    """Units for a menu that is read for the first time."""
    return sum(text_work(text, MOST_PHRASE) for text in option_texts(schema))


class Seen:
    """Remembers what was asked before: models keep what they read, and a second time it is little work. Thread-safe.

    Args:
        most: things that are remembered, the latest.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[int, None] = OrderedDict()
        self._lock = threading.Lock()

    def knows(self, key: int) -> bool:
        """Whether something with that hash was asked."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return True
            return False

    def learn(self, keys: Iterable[int]) -> None:
        """Things with these hashes were answered."""
        with self._lock:
            for key in keys:
                self._known[key] = None
            while len(self._known) > self._most:
                self._known.popitem(last=False)


class News:
    """What is new in one request."""

    def __init__(self, seen: Seen) -> None:
        self.keys: set[int] = set()
        self._seen = seen

    def add(self, thing: Hashable) -> bool:
        """Whether it is new: neither was it asked before, nor does the request have it already."""
        key = hash(thing)
        if key in self.keys or self._seen.knows(key):
            return False
        self.keys.add(key)
        return True


@dataclass(frozen=True)
class WorkEstimate:
    """What a request takes.

    Attributes:
        work: what quotas count. costs: what queues count, of each item. news: what the model will remember of it.
    """

    work: int
    costs: list[float]
    news: News
