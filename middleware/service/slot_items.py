"""What is asked of slots over the wire."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag, model_validator

from grice.middleware.service.schemas import SINGLE_OR_BATCH, Batch, Name, ReplyItem, Text, Wire
from grice.middleware.slots.reports import MOST_SLOTS
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.slots.questions import MOST_VALUES, SlotQuestion


class WireSlot(Wire):
    """A slot that has one of a few values."""

    name: Annotated[Name, Field(description="Its name, such as `price_range`.")]
    description: Annotated[Text, Field(description="What it is, in a phrase.")]
    values: Annotated[
        list[str], Field(description=f"Its possible values, 2 to {MOST_VALUES} different ones; `True` and `False` are yes and no.")
    ]


class SlotItem(ReplyItem):
    """A user turn, and the slots that it may give a value."""

    slots: Annotated[
        list[WireSlot], Field(min_length=1, max_length=MOST_SLOTS, description=f"Up to {MOST_SLOTS} slots, each name once.")
    ]

    @model_validator(mode="after")
    def _can_be_asked(self) -> SlotItem:
        names = [slot.name for slot in self.slots]
        if len(set(names)) < len(names):
            raise InputError("slots", names, "each name once")
        self.questions(self.dialogue(()))
        return self

    def questions(self, dialogue: Dialogue) -> tuple[SlotQuestion, ...]:
        """One for each slot, about the last turn of `dialogue`.

        Raises:
            InputError: the values of a slot cannot be used.
        """
        return tuple(SlotQuestion(dialogue, slot.name, slot.description, tuple(slot.values)) for slot in self.slots)


SlotBody = Annotated[Annotated[SlotItem, Tag("single")] | Annotated[Batch[SlotItem], Tag("batch")], SINGLE_OR_BATCH]
