"""POST /v1/meaning"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from pydantic import ConfigDict, model_validator

from grice.middleware.capabilities.codec import encode
from grice.middleware.capabilities.meaning import MeaningReport
from grice.middleware.service.capabilities.menu import SchemaChoice, schemas_of
from grice.middleware.service.capabilities.route import Aside, Route
from grice.middleware.service.capabilities.wire import ONE_TURN, Failures, ReplyItem, derived, require_one
from grice.middleware.service.conversations import History
from grice.middleware.turns.analysis import StageFailure
from grice.models.meaning.results import MeaningQuestion, TurnMeaning

NAMES = tuple(each.name for each in fields(TurnMeaning))


class MeaningItem(ReplyItem, SchemaChoice):
    """A user turn, and what the bot can understand."""

    model_config = ConfigDict(json_schema_extra={"allOf": [ONE_TURN, require_one(schema="object", schema_id="string")]})

    @model_validator(mode="after")
    def _with_schema(self) -> MeaningItem:
        if self.bot_schema is None and self.schema_id is None:
            raise ValueError(
                "give schema, what the bot can understand, or schema_id, the name of one that PUT /v1/schemas/{schema_id} stored"
            )
        return self


class MeaningRoute(Route[MeaningItem, MeaningQuestion, MeaningReport]):
    """Reads the turn, in the light of what was said before it, against all that the bot can understand.

    The menu comes with the item as `schema`, or is a stored one, `schema_id`: its vectors are kept, so the next turn with the same
    menu is read faster. `unknown` is an answer: the reader is not sure enough. With `dialogue_id` the history is read from the kept
    dialogue; nothing is kept: ask before `/v1/turns` keeps the turn, and give `bot` here as there. Of a turn on which the reader
    fails all is null, and `failures` tell why; the others are answered.
    """

    item = MeaningItem
    result = derived(TurnMeaning, nullable=True, failures=(Failures, ...))
    single = "What a single user turn means."

    async def questions(self, items: Sequence[MeaningItem], histories: Sequence[History], aside: Aside) -> list[MeaningQuestion]:
        menus = [menu for menu in await schemas_of(self.engine, items, aside) if menu is not None]  # each has one, or was refused
        dialogues = [
            item.dialogue(() if isinstance(history, StageFailure) else history)
            for item, history in zip(items, histories, strict=True)
        ]
        return [MeaningQuestion(dialogue, menu) for dialogue, menu in zip(dialogues, menus, strict=True)]

    @staticmethod
    def work(asked: MeaningQuestion) -> int:
        """Each intent, slot and value is one option."""
        schema = asked.schema
        return len(schema.intents) + sum(1 + len(slot.values) for slot in schema.slots)

    def shown(self, item: MeaningItem, result: MeaningReport) -> dict[str, Any]:
        found: dict[str, Any] = dict.fromkeys(NAMES) if result.found is None else encode(result.found)
        return found

    def failures(self, result: MeaningReport) -> Sequence[StageFailure]:
        return result.failures


OFFER = MeaningRoute
