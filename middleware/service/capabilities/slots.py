"""POST /v1/slots"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from grice.middleware.capabilities.codec import encode
from grice.middleware.capabilities.slots import MOST_SLOTS, Questions, Reports, WireSlotValues
from grice.middleware.events.event import MAX_NAME
from grice.middleware.service.capabilities.route import Route
from grice.middleware.service.capabilities.wire import VISIBLE, ReplyItem, Text, Wire, WireFailure, derived
from grice.middleware.service.capabilities.work import MOST_PHRASE, News, end_work, text_work
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue
from grice.models.errors import InputError
from grice.models.meaning.reader import KEPT_TEXTS
from grice.models.slots.questions import MOST_VALUES, SlotQuestion

SlotValue = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MAX_TEXT_CHARACTERS, "pattern": f"[{VISIBLE}]"})]
"""What `SlotQuestion` checks."""


class WireSlot(Wire):
    """A slot that has one of a few values."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME, description="Its name, such as `price_range`.")]
    description: Annotated[Text, Field(description="What it is, in a phrase.")]
    values: Annotated[
        list[SlotValue],
        Field(
            description=f"Its possible values, 2 to {MOST_VALUES} different ones; `True` and `False` are yes and no.",
            json_schema_extra={"minItems": 2, "maxItems": MOST_VALUES, "uniqueItems": True},
        ),
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
    most_tokens = 112
    remembered = KEPT_TEXTS
    single = "What a single user turn says of slots."

    def ask(self, item: SlotItem, dialogue: Dialogue) -> Questions:
        return item.questions(dialogue)

    def work(self, asked: Questions) -> int:
        """The turn is read for each slot; each value is one hypothesis, and so is that the slot is not mentioned."""
        return sum(self._turn(each) + sum(text_work(text, MOST_PHRASE) for text in _hypotheses(each)) for each in asked)

    def cost(self, asked: Questions, news: News) -> float:
        new = [text for each in asked for text in _hypotheses(each) if news.add(text)]
        return sum(map(self._turn, asked)) + sum(text_work(text, MOST_PHRASE) for text in new)

    def _turn(self, question: SlotQuestion) -> int:
        return end_work(question.dialogue.turns, self.most_tokens) + len(question.values)

    def shown(self, item: SlotItem, result: Reports) -> dict[str, Any]:
        found = [WireSlotValues.of(slot.name, slot.values, each.found) for slot, each in zip(item.slots, result, strict=True)]
        return {"slots": encode(found)}

    def failures(self, result: Reports) -> Sequence[StageFailure]:
        return [failure for report in result for failure in report.failures]


OFFER = SlotRoute


def _hypotheses(question: SlotQuestion) -> list[str]:
    return [f"{question.slot} {question.description} {value}" for value in ("", *question.values)]
