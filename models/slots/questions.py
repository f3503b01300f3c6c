"""What a slot-value resolver is asked: which of a slot's values the last turn of a dialogue means."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.dialogue import Dialogue, check_each, check_text
from grice.models.errors import InputError

MOST_VALUES = 64
"""A slot with more is no choice that a turn hints at, but a name to be looked up."""


@dataclass(frozen=True)
class SlotQuestion:
    """A turn and a categorical slot.

    Attributes:
        dialogue: ends in the turn that may mean a value.
        slot: the slot's name.
        description: what the slot is, in a phrase.
        values: its possible values, 2 to `MOST_VALUES` different ones.

    Raises:
        InputError: there are too few or too many values, the same one twice, a blank one, or a part of another kind.
    """

    dialogue: Dialogue
    slot: str
    description: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.dialogue, Dialogue):
            raise InputError("dialogue", self.dialogue, "a Dialogue object")
        for name in ("slot", "description"):
            if not isinstance(getattr(self, name), str):
                raise InputError(name, getattr(self, name), "a string")
        what = f"values of slot {self.slot}"
        check_each(self.values, str, what)
        object.__setattr__(self, "values", tuple(self.values))
        if not 2 <= len(self.values) <= MOST_VALUES:
            raise InputError(what, f"{len(self.values)} values", f"2 to {MOST_VALUES}")
        if len(set(self.values)) < len(self.values):
            raise InputError(what, self.values, "each value once")
        for value in self.values:
            check_text(value, f"value of slot {self.slot}")
