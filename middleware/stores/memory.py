"""Dialogues in the memory of this process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grice.middleware.access import DEFAULT_TENANT
from grice.middleware.stores.dialogue_store import REMEMBERED
from grice.models.dialogue import Turn

SWEEP_S = 60.0
"""How often expired dialogues are looked for that nobody asks about any more."""


@dataclass
class _Kept:
    turns: tuple[Turn, ...]
    until: float
    names: tuple[str, ...] = ()

    @property
    def characters(self) -> int:
        return sum(len(turn.text) for turn in self.turns) + sum(map(len, self.names))


class MemoryStore:
    """A `DialogueStore` in memory, bounded and thread-safe; the dialogue unused longest goes first.

    Args:
        max_dialogues: dialogues kept.
        max_turns: turns kept of a dialogue.
        max_characters: characters kept in all, names of additions too, so that long texts cannot take all memory either.
        expire_s: seconds after its last turn that a dialogue is forgotten.
        clock: seconds that only go forward.

    Attributes:
        tenants: the stores of all tenants that there are so far.
    """

    def __init__(
        self,
        max_dialogues: int = 10_000,
        max_turns: int = 200,
        expire_s: float = 3600,
        max_characters: int = 50_000_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_dialogues = max_dialogues
        self.max_turns = max_turns
        self.expire_s = expire_s
        self.max_characters = max_characters
        self._clock = clock
        self._lock = threading.Lock()
        self._dialogues: OrderedDict[str, _Kept] = OrderedDict()
        self._characters = 0
        self._next_sweep = clock() + SWEEP_S
        self.tenants: dict[str, MemoryStore] = {DEFAULT_TENANT: self}

    def of(self, tenant: str) -> MemoryStore:
        """Each tenant has the full bounds for itself, so that none takes the place of another's dialogues."""
        if tenant not in self.tenants:
            bounds = (self.max_dialogues, self.max_turns, self.expire_s, self.max_characters)
            other = MemoryStore(*bounds, clock=self._clock)
            other.tenants = self.tenants
            self.tenants.setdefault(tenant, other)
        return self.tenants[tenant]

    def append(self, dialogue_id: str, turns: Sequence[Turn], once: str | None = None) -> bool:
        if not turns:
            return False
        with self._lock:
            self._sweep()
            kept = self._living(dialogue_id) or _Kept((), 0.0)
            if once is not None and once in kept.names:
                return False
            self._drop(dialogue_id)
            names = kept.names if once is None else (*kept.names, once)[-REMEMBERED:]
            added = _Kept((*kept.turns, *turns)[-self.max_turns :], self._clock() + self.expire_s, names)
            self._dialogues[dialogue_id] = added
            self._characters += added.characters
            while len(self._dialogues) > self.max_dialogues or self._characters > self.max_characters:
                self._drop(next(iter(self._dialogues)))
            return True

    def read(self, dialogue_id: str, last: int | None = None) -> tuple[Turn, ...]:
        with self._lock:
            kept = self._living(dialogue_id)
            if kept is None:
                return ()
            self._dialogues.move_to_end(dialogue_id)
            return kept.turns if last is None else kept.turns[max(0, len(kept.turns) - last) :]

    def delete(self, dialogue_id: str) -> bool:
        with self._lock:
            known = self._living(dialogue_id) is not None
            self._drop(dialogue_id)
            return known

    def expire(self, dialogue_id: str, seconds: float) -> bool:
        with self._lock:
            kept = self._living(dialogue_id)
            if kept is None:
                return False
            kept.until = self._clock() + seconds
            return True

    def ping(self) -> None:
        """Memory can always be used."""

    def close(self) -> None:
        """There are no connections."""

    def _living(self, dialogue_id: str) -> _Kept | None:
        kept = self._dialogues.get(dialogue_id)
        if kept is not None and kept.until <= self._clock():
            self._drop(dialogue_id)
            return None
        return kept

    def _drop(self, dialogue_id: str) -> None:
        kept = self._dialogues.pop(dialogue_id, None)
        self._characters -= kept.characters if kept else 0

    def _sweep(self) -> None:
        now = self._clock()
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_S
            for dialogue_id in [name for name, kept in self._dialogues.items() if kept.until <= now]:
                self._drop(dialogue_id)
