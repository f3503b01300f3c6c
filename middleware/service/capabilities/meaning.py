"""POST /v1/meaning"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from grice.middleware.capabilities.codec import encode
from grice.middleware.capabilities.meaning import MeaningReport
from grice.middleware.meaning.implied_calls import ImpliedCall, imply_calls
from grice.middleware.schemas import schema_of_tools
from grice.middleware.service.capabilities.menu import MUCH, SchemaChoice, schemas_of
from grice.middleware.service.capabilities.route import Aside, Route
from grice.middleware.service.capabilities.wire import NO_BOT, ONE_TURN, WHOLE, Failures, ReplyItem, derived, require_one
from grice.middleware.service.capabilities.work import News, menu_work
from grice.middleware.service.conversations import History
from grice.middleware.turns.analysis import StageFailure
from grice.models.meaning.reader import KEPT_MENUS
from grice.models.meaning.results import MeaningQuestion, TurnMeaning
from grice.models.schema import MOST_INTENTS, BotSchema

NAMES = tuple(each.name for each in fields(TurnMeaning))


WireImpliedCall: Any = derived(ImpliedCall)


class MeaningItem(ReplyItem, SchemaChoice):
    """A user turn, and what the bot can understand."""

    model_config = ConfigDict(
        json_schema_extra={"allOf": [ONE_TURN, WHOLE, NO_BOT, require_one(schema="object", schema_id="string", tools="array")]}
    )

    tools: Annotated[
        list[dict[str, Any]] | None,
        Field(
            min_length=1,
            max_length=MOST_INTENTS,
            description="An agent's tools, as OpenAI, Anthropic or MCP write them, in place of a schema; `calls` are of them.",
        ),
    ] = None

    @model_validator(mode="after")
    def _with_schema(self) -> MeaningItem:
        given = [each for each in (self.bot_schema, self.schema_id, self.tools) if each is not None]
        if not given:
            raise ValueError(
                "give schema, what the bot can understand, or schema_id, the name of one that PUT /v1/schemas/{schema_id} stored, "
                "or tools"
            )
        if len(given) > 1:
            raise ValueError("give only one of schema, schema_id and tools")
        return self


class MeaningRoute(Route[MeaningItem, MeaningQuestion, MeaningReport]):
    """Reads the turn, in the light of what was said before it, against all that the bot can understand.

    The menu comes with the item as `schema`, or is a stored one, `schema_id`: its vectors are kept, so the next turn with the same
    menu is read faster. `unknown` is an answer: the reader is not sure enough. With `dialogue_id` the history is read from the kept
    dialogue; nothing is kept: ask before `/v1/turns` keeps the turn, and give `bot` here as there. Of a turn on which the reader
    fails all is null, and `failures` tell why; the others are answered. With `tools` in place of a menu, `calls` says what was read
    as calls of them.
    """

    item = MeaningItem
    result = derived(
        TurnMeaning,
        nullable=True,
        failures=(Failures, ...),
        calls=(
            Annotated[
                list[WireImpliedCall] | None,
                Field(description="The calls of `tools` that the turn implies, the most probable first; null without `tools`."),
            ],
            None,
        ),
    )
    most_tokens = 112
    remembered = KEPT_MENUS
    single = "What a single user turn means."

    async def questions(self, items: Sequence[MeaningItem], histories: Sequence[History], aside: Aside) -> list[MeaningQuestion]:
        chosen = await schemas_of(self.engine, items, aside)
        tools = [item for item, menu in zip(items, chosen, strict=True) if menu is None]
        work = sum(len(item.tools or ()) for item in tools)
        read = await (aside(_tools_of, tools) if work < MUCH else self.engine.read_menu(work, _tools_of, tools, free=True))
        others = iter(read)
        menus = [next(others) if menu is None else menu for menu in chosen]
        dialogues = [
            item.dialogue(() if isinstance(history, StageFailure) else history)
            for item, history in zip(items, histories, strict=True)
        ]
        return [MeaningQuestion(dialogue, menu) for dialogue, menu in zip(dialogues, menus, strict=True)]

    def work(self, asked: MeaningQuestion) -> int:
        return super().work(asked) + menu_work(asked.schema)

    def cost(self, asked: MeaningQuestion, news: News) -> float:
        return self.work(asked) if news.add(asked.schema) else super().work(asked)

    def shown(self, item: MeaningItem, result: MeaningReport) -> dict[str, Any]:
        if result.found is None:
            return dict.fromkeys((*NAMES, "calls"))
        calls = None if item.tools is None else encode(imply_calls(result.found, schema_of_tools(item.tools)))
        return {**encode(result.found), "calls": calls}

    def failures(self, result: MeaningReport) -> Sequence[StageFailure]:
        return result.failures


def _tools_of(items: Sequence[MeaningItem]) -> list[BotSchema]:
    """The menu of each item's tools.

    Raises:
        InputError: they are none; says where.
    """
    return [schema_of_tools(item.tools) for item in items]


OFFER = MeaningRoute
