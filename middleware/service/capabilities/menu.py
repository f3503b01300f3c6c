"""The menu that a request comes with: a schema of its own, or the name of a stored one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict, Field, JsonValue, model_validator
from starlette.concurrency import run_in_threadpool

from grice.middleware.schemas.content import is_json
from grice.middleware.schemas.stores import SCHEMA_ID_PATTERN, SchemaStore
from grice.middleware.service.capabilities.route import Aside
from grice.middleware.service.capabilities.wire import Wire
from grice.middleware.service.http.problems import Problem, Refused
from grice.models.schema import MOST_CHARACTERS, MOST_CHOICES, MOST_EXAMPLES, MOST_INTENTS, MOST_SLOTS, BotSchema

if TYPE_CHECKING:
    from grice.middleware.service.engine import Engine

TEXTS = 256
"""Texts of a menu that are checked in the time that a token takes."""
CHARACTERS, CHARACTERS_OF_JSON = 64, 8192
"""Characters of a menu's file that are read in that time, of YAML and of JSON."""
MUCH = 16
"""Units of work from which on a menu is read in the queue for menus; less is done at once."""
NOT_BLANK = r"[^\s\x1c-\x1f\x85]"
"""Something other than what Python calls white space."""
Phrase = Annotated[str, Field(max_length=MOST_CHARACTERS)]
SpecName = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS, json_schema_extra={"pattern": NOT_BLANK})]
UNIQUE: dict[str, JsonValue] = {"uniqueItems": True}
SOMETHING: JsonValue = [
    {"required": ["intents"], "properties": {"intents": {"minItems": 1}}},
    {"required": ["slots"], "properties": {"slots": {"minProperties": 1}}},
]
SchemaId = Annotated[str, Field(pattern=SCHEMA_ID_PATTERN)]
"""A caller's name for a stored schema."""


class WireIntentSpec(Wire):
    """Something that the bot can be asked for or told."""

    name: Annotated[SpecName, Field(description="As the bot calls it.")]
    description: Annotated[Phrase, Field(description="What the user wants with it, in a phrase.")] = ""
    examples: Annotated[
        list[SpecName],
        Field(
            max_length=MOST_EXAMPLES, description="Turns that have it, in the bot's own training data.", json_schema_extra=UNIQUE
        ),
    ] = Field(default_factory=list)
    slots: Annotated[
        list[SpecName],
        Field(max_length=MOST_SLOTS, description="Names of the slots that belong to it; none: all.", json_schema_extra=UNIQUE),
    ] = Field(default_factory=list)
    service: Annotated[Phrase, Field(description="The service that offers it; empty: the bot has but one.")] = ""


class WireSlotSpec(Wire):
    """Something that the bot wants to know."""

    description: Annotated[Phrase, Field(description="What it is, in a phrase.")] = ""
    values: Annotated[
        list[SpecName],
        Field(max_length=MOST_CHOICES, description="Its possible values; none: it is free text.", json_schema_extra=UNIQUE),
    ] = Field(default_factory=list)


class WireSchema(Wire):
    """What a bot can understand: at least one intent or slot."""

    model_config = ConfigDict(json_schema_extra={"allOf": [{"anyOf": SOMETHING}]})

    intents: Annotated[list[WireIntentSpec], Field(max_length=MOST_INTENTS, description="Each name once.")] = Field(
        default_factory=list
    )
    slots: Annotated[dict[SpecName, WireSlotSpec | None], Field(max_length=MOST_SLOTS, description="By name; null: free text.")] = (
        Field(default_factory=dict)
    )
    services: Annotated[
        dict[SpecName, Phrase], Field(max_length=MOST_INTENTS, description="What each service is, by the name that intents have.")
    ] = Field(default_factory=dict)

    @property
    def work(self) -> int:
        """How much work it is to read it, about as many units as a model reads tokens."""
        texts = sum(2 + len(each.examples) for each in self.intents)
        texts += sum(2 + (0 if each is None else len(each.values)) for each in self.slots.values())
        return 1 + texts // TEXTS

    def schema_of(self) -> BotSchema:
        """The schema; much work where it is large.

        Raises:
            InputError: its parts do not fit together.
        """
        return BotSchema.of(self.model_dump())


class SchemaChoice(Wire):
    """Fields of an item that is read with a menu: `schema`, or `schema_id`, or neither. Mix it into the model of the item."""

    bot_schema: Annotated[
        WireSchema | None, Field(alias="schema", description="What the bot can understand. Give this or `schema_id`.")
    ] = None
    schema_id: Annotated[
        SchemaId | None, Field(description="The name of a stored schema, as in `PUT /v1/schemas/{schema_id}`.")
    ] = None

    @model_validator(mode="after")
    def _one_schema(self) -> SchemaChoice:
        if self.bot_schema is not None and self.schema_id is not None:
            raise ValueError("give at most one of schema and schema_id")
        return self

    def own_schema(self) -> BotSchema | None:
        """The menu that it brings itself, if it does; much work where it is large.

        Raises:
            InputError: its parts do not fit together.
        """
        return None if self.bot_schema is None else self.bot_schema.schema_of()


def text_menu_work(text: str) -> int:
    """Units of work to read a menu from the content of a file."""
    return 1 + len(text) // (CHARACTERS_OF_JSON if is_json(text) else CHARACTERS)


def stored_menu_work(schema: BotSchema) -> int:
    """Units of work to write a stored menu."""
    texts = sum(2 + len(each.examples) for each in schema.intents) + sum(2 + len(each.values) for each in schema.slots)
    return 1 + texts // TEXTS


def unknown_schema(schema_id: str, status: int) -> Problem:
    """What a caller is told of a name under which nothing is stored."""
    detail = f"There is no schema {schema_id}: it was never stored, or was deleted; PUT /v1/schemas/{schema_id} stores one."
    return Problem(status, "unknown-schema", detail)


async def schemas_of(engine: Engine, items: Sequence[SchemaChoice], aside: Aside) -> list[BotSchema | None]:
    """The menu of each item, in order; None where it names none. A stored one is read once for all items.

    Args:
        aside: runs work, off the event loop where it is much.

    Raises:
        Refused: nothing is stored under a name (422, `unknown-schema`).
        InputError: a schema's parts do not fit together.
        StoreError: the store cannot be reached.
        Overloaded, DeadlineExceeded: large menus of too many calls wait to be read.
    """
    names = {item.schema_id for item in items if item.schema_id is not None}
    stored = await run_in_threadpool(_stored, engine.schemas, names) if names else {}
    work = sum(item.bot_schema.work for item in items if item.bot_schema is not None)
    if work < MUCH:
        return await aside(_chosen, items, stored)
    return await engine.read_menu(work, _chosen, items, stored, free=True)  # the key pays for the model's work, this among it


def _stored(store: SchemaStore, names: set[str]) -> dict[str, BotSchema]:
    found = {}
    for name in sorted(names):
        schema = store.read(name)
        if schema is None:
            raise Refused(unknown_schema(name, 422))
        found[name] = schema
    return found


def _chosen(items: Sequence[SchemaChoice], stored: dict[str, BotSchema]) -> list[BotSchema | None]:
    own = [item.own_schema() for item in items]
    return [stored[item.schema_id] if item.schema_id is not None else schema for item, schema in zip(items, own, strict=True)]
