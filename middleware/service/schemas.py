"""What travels over the wire. A request is a single item or `items`; its answer has the same shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from grice.middleware.events.event import END_OF_TIME, MAX_NAME, DialogueEvent
from grice.middleware.settings import Mode
from grice.middleware.stores.dialogue_id import DIALOGUE_ID_PATTERN, MAX_DIALOGUE_ID
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue, Speaker, Turn, check_text
from grice.models.errors import InputError
from grice.models.text.template import TargetForm

MAX_ITEMS = 64
MAX_BOT_TURNS = 16

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARACTERS), AfterValidator(check_text)]
DialogueId = Annotated[str, Field(min_length=1, max_length=MAX_DIALOGUE_ID, pattern=DIALOGUE_ID_PATTERN)]
"""A caller's name for a dialogue: no white space, no slash, at least one letter or digit."""
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Wire(BaseModel):
    """Strict both ways: unknown fields and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class WireTurn(Wire):
    """One utterance."""

    speaker: Annotated[Speaker, Field(description="Who said it.")]
    text: Annotated[Text, Field(description="What was said.")]


class Item(Wire):
    """A turn to look at: `text`, after the kept history of `dialogue_id` if that is given; or the last of `turns`."""

    text: Annotated[Text | None, Field(description="The turn to look at. Give this or `turns`.")] = None
    turns: Annotated[
        list[WireTurn] | None, Field(min_length=1, description="The whole conversation, oldest turn first; the last is looked at.")
    ] = None
    dialogue_id: Annotated[DialogueId | None, Field(description="Read the history before `text` from this kept dialogue.")] = None

    @model_validator(mode="after")
    def _one_way(self) -> Item:
        if (self.text is None) == (self.turns is None):
            raise ValueError("give exactly one of text and turns")
        if self.turns is not None and self.dialogue_id is not None:
            raise ValueError("give dialogue_id with text only: turns is the whole conversation already")
        return self

    def dialogue(self, history: Sequence[Turn], speaker: Speaker = "user") -> Dialogue:
        """The dialogue to look at; `text` is `speaker`'s, after `history`."""
        if self.turns is not None:
            return Dialogue(tuple(Turn(turn.speaker, turn.text) for turn in self.turns))
        return Dialogue((*history, *self.new_turns(speaker)))

    def new_turns(self, speaker: Speaker = "user") -> list[Turn]:
        """What the item adds to a kept dialogue."""
        return [] if self.text is None else [Turn(speaker, self.text)]


class DirectnessItem(Item):
    """A user turn to score."""

    @model_validator(mode="after")
    def _user_last(self) -> DirectnessItem:
        if self.turns is not None and self.turns[-1].speaker != "user":
            raise ValueError("the last of turns must be the user's")
        return self


class RewriteItem(Item):
    """A turn to rewrite."""

    form: Annotated[
        TargetForm, Field(description="`direct` to understand a user's turn, `indirect` to soften a bot's own reply.")
    ] = "direct"


class ReplyItem(DirectnessItem):
    """A user turn after what the bot said."""

    bot: Annotated[
        list[Text],
        BeforeValidator(_listed, json_schema_input_type=str | list[str]),
        Field(
            max_length=MAX_BOT_TURNS,
            description="What the bot said since the last user turn, one text or several; it comes before `text`.",
        ),
    ] = []

    @model_validator(mode="after")
    def _bot_with_text(self) -> ReplyItem:
        if self.turns is not None and self.bot:
            raise ValueError("give bot with text only: turns is the whole conversation already")
        return self

    def new_turns(self, speaker: Speaker = "user") -> list[Turn]:
        return [*(Turn("bot", text) for text in self.bot), *super().new_turns(speaker)]


class TurnItem(ReplyItem):
    """A user turn to analyse. With `dialogue_id` it is kept, after the bot's turns since the last call, for the next call."""

    mode: Annotated[
        Mode | None,
        Field(description="What `text` of the answer is: the rewrite alone, or after the original. Default: the service's."),
    ] = None


class ResponseItem(Item):
    """A bot's response to score. With `dialogue_id` it is kept there."""

    event_id: Annotated[
        Name | None,
        Field(
            description="Unique within the dialogue: with `dialogue_id` it is kept and counted once, by both. Default: a new one."
        ),
    ] = None
    channel: Annotated[Name | None, Field(description="The way it goes, such as `rest`; rates tell channels apart.")] = None
    bot_version: Annotated[Name | None, Field(description="Which version of the bot says it; rates tell versions apart.")] = None
    action: Annotated[Name | None, Field(description="What makes the bot say it, such as `utter_greet`.")] = None
    counted: Annotated[
        bool, Field(description="False: it is only scored; rates, alarms, metrics and the stream of results know nothing of it.")
    ] = True
    judged: Annotated[
        bool, Field(description="False: no large language model is asked, whatever the settings, so that the answer comes fast.")
    ] = True

    @model_validator(mode="after")
    def _bot_last(self) -> ResponseItem:
        if self.turns is not None and self.turns[-1].speaker != "bot":
            raise ValueError("the last of turns must be the bot's")
        return self


class EventItem(Wire):
    """One turn of a dialogue that took place."""

    event_id: Annotated[Name, Field(description="Stable and unique within the dialogue: each event is kept once, by this.")]
    dialogue_id: Annotated[DialogueId, Field(description="Which dialogue.")]
    speaker: Annotated[Speaker, Field(description="Who said it.")]
    text: Annotated[Text, Field(description="What was said.")]
    timestamp: Annotated[float, Field(ge=0, lt=END_OF_TIME, description="When, in Unix seconds.")]
    channel: Annotated[Name | None, Field(description="The way it came, such as `rest`.")] = None
    bot_version: Annotated[Name | None, Field(description="Which version of the bot took part.")] = None
    action: Annotated[Name | None, Field(description="What made the bot say it, such as `utter_greet`.")] = None
    metadata: Annotated[
        dict[str, Any], Field(description="More; `grice` holds the analysis of a user turn or what was found of a response.")
    ] = {}
    schema_version: Annotated[Literal[1], Field(description="Version of this shape.")] = 1

    @model_validator(mode="after")
    def _whole(self) -> EventItem:
        self.event()
        return self

    def event(self) -> DialogueEvent:
        """The event.

        Raises:
            InputError: a value is not usable, or it is too large.
        """
        return DialogueEvent.of(**dict(self))


AnyItem = TypeVar("AnyItem", bound=Wire)


class Batch(Wire, Generic[AnyItem]):
    """Up to 64 items; their answers come in the same order."""

    items: Annotated[list[AnyItem], Field(min_length=1, max_length=MAX_ITEMS, description="Up to 64 items.")]


def _shape(body: Any) -> str:
    return "batch" if isinstance(body, Batch) or (isinstance(body, dict) and "items" in body) else "single"


SINGLE_OR_BATCH = Discriminator(_shape)

DirectnessBody = Annotated[
    Annotated[DirectnessItem, Tag("single")] | Annotated[Batch[DirectnessItem], Tag("batch")], SINGLE_OR_BATCH
]
RewriteBody = Annotated[Annotated[RewriteItem, Tag("single")] | Annotated[Batch[RewriteItem], Tag("batch")], SINGLE_OR_BATCH]
TurnBody = Annotated[Annotated[TurnItem, Tag("single")] | Annotated[Batch[TurnItem], Tag("batch")], SINGLE_OR_BATCH]

ResponseBody = Annotated[Annotated[ResponseItem, Tag("single")] | Annotated[Batch[ResponseItem], Tag("batch")], SINGLE_OR_BATCH]
EventBody = Annotated[Annotated[EventItem, Tag("single")] | Annotated[Batch[EventItem], Tag("batch")], SINGLE_OR_BATCH]


def items_of(body: AnyItem | Batch[AnyItem]) -> tuple[list[AnyItem], bool]:
    """The items of a request, and whether it was a single one."""
    return (body.items, False) if isinstance(body, Batch) else ([body], True)


def check_distinct(items: Sequence[Item]) -> None:
    """Refuse a request that would keep two turns in one dialogue: their order would not be clear.

    Raises:
        InputError: a dialogue comes twice.
    """
    names = [item.dialogue_id for item in items if item.dialogue_id is not None]
    if len(set(names)) < len(names):
        raise InputError("dialogue_id", "the same one in several items", "one turn of a dialogue in a request")
