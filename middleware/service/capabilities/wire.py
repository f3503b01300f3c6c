"""What travels over the wire. A request is a single item or `items`; its answer has the same shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from types import NoneType
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator

from grice.middleware.events.event import MAX_NAME
from grice.middleware.settings import attributes
from grice.middleware.stores.dialogue_id import DIALOGUE_ID_PATTERN, MAX_DIALOGUE_ID
from grice.middleware.turns.analysis import Stage
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue, Speaker, Turn, check_text
from grice.models.errors import InputError
from grice.models.messages import read_message
from grice.models.results import Range

MAX_ITEMS = 64
MAX_BOT_TURNS = 16

VISIBLE = r"\p{L}\p{M}\p{N}\p{P}\p{S}"
"""Letters, marks, numbers, punctuation and symbols: what Python calls printable, without spaces, in a class of a pattern."""

Text = Annotated[
    str,
    Field(min_length=1, max_length=MAX_TEXT_CHARACTERS, json_schema_extra={"pattern": f"[{VISIBLE}]"}),
    AfterValidator(check_text),
]
DialogueId = Annotated[str, Field(min_length=1, max_length=MAX_DIALOGUE_ID, pattern=DIALOGUE_ID_PATTERN)]
"""A caller's name for a dialogue: no white space, no slash, at least one letter or digit."""
Name = Annotated[
    str, Field(min_length=1, max_length=MAX_NAME, json_schema_extra={"pattern": f"^[ {VISIBLE}]*[{VISIBLE}][ {VISIBLE}]*$"})
]
"""A name in an event, which checks it."""
SchemaVersion = Annotated[Literal[1], Field(description="Version of the shape of requests and answers.")]
HistoryRead = Annotated[int, Field(description="Turns of history that the model read.")]
HistoryCut = Annotated[int, Field(description="Older turns that did not fit and were left out.")]
TextCut = Annotated[bool, Field(description="The end of the turn itself did not fit and was left out.")]
WireShare = Annotated[float, Field(ge=0, le=1)]


class Wire(BaseModel):
    """Strict both ways: unknown fields and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class WireTurn(Wire):
    """One utterance."""

    speaker: Annotated[Speaker, Field(description="Who said it.")]
    text: Annotated[Text, Field(description="What was said.")]


MessagePart = Annotated[dict[str, Any], Field(json_schema_extra={"required": ["type"], "properties": {"type": {"type": "string"}}})]


class WireMessage(BaseModel):
    """One row as APIs of language models write it. Fields beside these are not read."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    role: Annotated[
        Literal["user", "assistant", "system", "developer", "tool", "function"],
        Field(description="`user` is the user, `assistant` the bot; rows of others are left out."),
    ]
    content: Annotated[
        str | list[MessagePart] | None,
        Field(description="What was said: a text, or parts, of which those with text are read; without any the row is left out."),
    ] = None


_NOTHING_SAID = WireTurn.model_construct(speaker="user", text="")
"""Stands for a row in which nobody said anything, until the rows are all read."""


def _as_turn(row: object) -> object:
    if not isinstance(row, dict) or "role" not in row:
        return row
    turn = read_message(row)
    return _NOTHING_SAID if turn is None else WireTurn(speaker=turn.speaker, text=turn.text)


def _said(rows: list[WireTurn]) -> list[WireTurn]:
    said = [row for row in rows if row is not _NOTHING_SAID]
    if not said:
        raise ValueError("in none of the rows did the user or the bot say anything")
    return said


AnyTurns = Annotated[
    list[Annotated[WireTurn, BeforeValidator(_as_turn, json_schema_input_type=WireTurn | WireMessage)]],
    Field(min_length=1),
    AfterValidator(_said),
]
"""Turns, and messages among them."""


def require_one(**kinds: str) -> dict[str, Any]:
    """What a JSON schema says where exactly one of some fields is given.

    Args:
        kinds: the JSON type of each, by its name.
    """
    return {"oneOf": [{"required": [name], "properties": {name: {"type": kind}}} for name, kind in kinds.items()]}


def at_most_one(first: str, second: str) -> dict[str, Any]:
    """What a JSON schema says where one of two fields, or both, must be missing or null."""
    return {"anyOf": [{"properties": {name: {"type": "null"}}} for name in (first, second)]}


ONE_TURN = require_one(text="string", turns="array")
WHOLE = at_most_one("turns", "dialogue_id")
"""`turns` is the whole conversation: no other history comes before it."""
NO_BOT: dict[str, Any] = {
    "anyOf": [{"properties": {"turns": {"type": "null"}}}, {"properties": {"bot": {"type": "array", "maxItems": 0}}}]
}
"""And what the bot said is among them."""


class WireItem(Wire):
    """A turn to look at: `text`, after the kept history of `dialogue_id` if that is given; or the last of `turns`."""

    # Under `allOf`, since generators of clients take a bare `oneOf` for a choice between models and lose the fields.
    model_config = ConfigDict(json_schema_extra={"allOf": [ONE_TURN, WHOLE]})

    text: Annotated[Text | None, Field(description="The turn to look at. Give this or `turns`.")] = None
    turns: Annotated[
        AnyTurns | None,
        Field(description="The whole conversation, oldest first, as turns or as messages with `role`; the last turn is looked at."),
    ] = None
    dialogue_id: Annotated[DialogueId | None, Field(description="Read the history before `text` from this kept dialogue.")] = None

    @model_validator(mode="after")
    def _one_way(self) -> WireItem:
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


class UserItem(WireItem):
    """A user turn to look at."""

    @model_validator(mode="after")
    def _user_last(self) -> UserItem:
        if self.turns is not None and self.turns[-1].speaker != "user":
            raise ValueError("the last of turns must be the user's")
        return self


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class ReplyItem(UserItem):
    """A user turn after what the bot said."""

    model_config = ConfigDict(json_schema_extra={"allOf": [ONE_TURN, WHOLE, NO_BOT]})

    bot: Annotated[
        list[Text],
        BeforeValidator(_listed, json_schema_input_type=Text | Annotated[list[Text], Field(max_length=MAX_BOT_TURNS)]),
        Field(
            max_length=MAX_BOT_TURNS,
            description="What the bot said since the last user turn, one text or several; it comes before `text`.",
        ),
    ] = Field(default_factory=list)  # generated clients would send a default `[]` as the text "[]"

    @model_validator(mode="after")
    def _bot_with_text(self) -> ReplyItem:
        if self.turns is not None and self.bot:
            raise ValueError("give bot with text only: turns is the whole conversation already")
        return self

    def new_turns(self, speaker: Speaker = "user") -> list[Turn]:
        return [*(Turn("bot", text) for text in self.bot), *super().new_turns(speaker)]


AnyWire = TypeVar("AnyWire", bound=Wire)


class Batch(Wire, Generic[AnyWire]):
    """Up to 64 items; their answers come in the same order."""

    items: Annotated[list[AnyWire], Field(min_length=1, max_length=MAX_ITEMS, description="Up to 64 items.")]


class BatchAnswer(Wire, Generic[AnyWire]):
    """The answers to `items`, in their order."""

    items: Annotated[list[AnyWire], Field(description="One answer an item.")]
    schema_version: SchemaVersion = 1


class WireFailure(Wire):
    """A stage that failed; the answer was made without it."""

    stage: Annotated[Stage, Field(description="Which stage.")]
    error: Annotated[str, Field(description="The class of the error.")]
    message: Annotated[str, Field(description="What happened.")]


Failures = Annotated[
    list[WireFailure],
    Field(description="Stages that failed; `store`: the history could not be read or kept; `nlu`: the NLU server."),
]


def single_answer(result: type[Wire], doc: str) -> type[Wire]:
    """The model of the answer to a single item: that of one among several, and the version of the shape."""
    name = result.__name__.removesuffix("Result") + "Answer"
    return create_model(name, __base__=result, __doc__=doc, schema_version=(SchemaVersion, 1))


def derived(kind: type[Any], base: type[Wire] = Wire, omit: str = "", nullable: bool = False, **more: Any) -> type[Any]:
    """The wire model of a frozen dataclass: its fields, and of each what its docstring says under `Attributes:`.

    Args:
        omit: a field that does not travel. nullable: whether every field may be null.
        more: other fields, as `create_model` takes them.
    """
    hints, told = get_type_hints(kind, include_extras=True), attributes(kind)
    shown: dict[str, Any] = {}
    for each in fields(kind):
        if each.name != omit:
            default = ... if each.default is MISSING else each.default
            hint = _translated(hints[each.name])
            shown[each.name] = (Annotated[hint | None if nullable else hint, Field(description=told.get(each.name))], default)
    doc = (kind.__doc__ or "").partition("\n")[0]
    return create_model(kind.__name__, __base__=base, __doc__=doc, **shown, **more)


_derived = lru_cache(derived)


def _translated(kind: Any) -> Any:
    """A type of a frozen dataclass's field as one of the wire's."""
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _derived(kind)
    if origin is Annotated:
        limited: Any = _translated(parts[0])
        for each in parts[1:]:
            if isinstance(each, Range):
                limited = Annotated[limited, Field(ge=each.low, le=each.high)]
        return limited
    if origin is tuple:
        return list[_translated(parts[0])]  # type: ignore[misc]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict[_translated(parts[0]), _translated(parts[1])]  # type: ignore[misc]
    if NoneType in parts:
        return _translated(parts[0]) | None
    return kind


def check_distinct(items: Sequence[WireItem]) -> None:
    """Refuse a request that would keep two turns in one dialogue: their order would not be clear.

    Raises:
        InputError: a dialogue comes twice.
    """
    names = [item.dialogue_id for item in items if item.dialogue_id is not None]
    if len(set(names)) < len(names):
        raise InputError("dialogue_id", "the same one in several items", "one turn of a dialogue in a request")
