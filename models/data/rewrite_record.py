"""The shape of every data set of turns that are rewritten to stand without their history."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.dialogue import Turn


@dataclass(frozen=True)
class RewriteRecord:
    """A turn with what was said before it, and the same said so that it is understood alone.

    Attributes:
        dialogue_id: the same for all records of a dialogue; splits go by it.
        turn_index: which turn of the dialogue it is, as the file counts.
        history: oldest first, without the turn itself.
        turn: the turn as it was said.
        rewrites: at least one, the data set's own reference first, then distinct ones from the crowd. A rewrite that equals
            the turn says that nothing had to be added.
        split: the authors' split.
    """

    dialogue_id: str
    turn_index: int
    history: tuple[Turn, ...]
    turn: Turn
    rewrites: tuple[str, ...]
    split: str
