"""POST /v1/slots"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from grice.middleware.capabilities.codec import encode
from grice.middleware.capabilities.slots import MOST_SLOTS, Questions, Reports, WireSlotValues
from grice.middleware.service.capabilities.route import Route
from grice.middleware.service.capabilities.wire import Name, ReplyItem, Text, Wire, WireFailure, derived
from grice.middleware.turns.analysis import StageFailure
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
        self.questions(Dialogue.of("Hello."))
        return self

    def questions(self, dialogue: Dialogue) -> Questions:
        """One for each slot, about the last turn of `dialogue`.

        Raises:
            InputError: the values of a slot cannot be used.
        """
        return tuple(SlotQuestion(dialogue, slot.name, slot.description, tuple(slot.values)) for slot in self.slots)


class SlotsResult(Wire):
    """What a user turn says of slots."""

    slots: Annotated[list[derived(WireSlotValues)], Field(description="One entry a slot, in the order of the request.")]  # type: ignore[valid-type]
    failures: Annotated[
        list[WireFailure], Field(description="What failed; `slots`: one a slot that has no answer, in order; `store`: the history.")
    ]


class SlotRoute(Route[SlotItem, Questions, Reports]):
    """Finds for each slot the value that the turn means, though it may not say it, in the light of what the bot asked before.

    With `dialogue_id` the history is read from the kept dialogue; nothing is kept: ask before `/v1/turns` keeps the turn, and give
    `bot` here as there. A slot on which the resolver fails is told in `failures`; the others are answered.
    """

    item = SlotItem
    result = SlotsResult
    single = "What a single user turn says of slots."

    def ask(self, item: SlotItem, dialogue: Dialogue) -> Questions:
        return item.questions(dialogue)

    @staticmethod
    def work(asked: Questions) -> int:
        """Each value is one hypothesis, and so is that the slot is not mentioned."""
        return sum(len(question.values) + 1 for question in asked)

    def shown(self, item: SlotItem, result: Reports) -> dict[str, Any]:
        found = [WireSlotValues.of(slot.name, slot.values, each.found) for slot, each in zip(item.slots, result, strict=True)]
        return {"slots": encode(found)}

    def failures(self, result: Reports) -> Sequence[StageFailure]:
        return [failure for report in result for failure in report.failures]


OFFER = SlotRoute
