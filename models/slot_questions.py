"""What a slot-value resolver is asked: which of a slot's values the last turn of a dialogue means."""

from __future__ import annotations

from dataclasses import dataclass

from grice.models.dialogue import Dialogue
from grice.models.errors import InputError


@dataclass(frozen=True)
class SlotQuestion:
    """A turn and a categorical slot.

    Attributes:
        dialogue: ends in the turn that may mean a value.
        slot: the slot's name.
        description: what the slot is, in a phrase.
        values: its possible values, at least 2 different ones.

    Raises:
        InputError: there are fewer than 2 values, or the same one twice.
    """

    dialogue: Dialogue
    slot: str
    description: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.values) < 2 or len(set(self.values)) < len(self.values):
            raise InputError(f"values of slot {self.slot}", self.values, "at least 2 different ones")
