"""Names of the worker's keys in Redis."""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "grice:monitor"


@dataclass(frozen=True)
class Keys:
    """The keys of one consumer group of one stream of events; those of a dialogue hold whatever its partition is."""

    stream: str
    group: str

    @property
    def members(self) -> str:
        """The workers that are alive: a sorted set, by the time when they are taken for dead."""
        return f"{self._root}:members"

    def lease(self, partition: str) -> str:
        """Who owns a partition: a string that expires."""
        return f"{self._root}:lease:{partition}"

    def position(self, partition: str) -> str:
        """How many entries of a partition were read, and how many Redis removed before: a hash."""
        return f"{self._root}:position:{partition}"

    def history(self, dialogue_id: str) -> str:
        """The newest turns of a dialogue: a list."""
        return f"{self._root}:history:{dialogue_id}"

    def done(self, dialogue_id: str) -> str:
        """The ids of a dialogue's events that are dealt with: a sorted set."""
        return f"{self._root}:done:{dialogue_id}"

    @property
    def _root(self) -> str:
        return f"{PREFIX}:{self.stream}:{self.group}"
