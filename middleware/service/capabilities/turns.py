"""POST /v1/turns"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field

from grice.middleware.capabilities.codec import encode
from grice.middleware.service.batcher import Predict
from grice.middleware.service.capabilities.directness import WireDirectness
from grice.middleware.service.capabilities.menu import SchemaChoice, schemas_of
from grice.middleware.service.capabilities.rewrite import WireRewrite
from grice.middleware.service.capabilities.route import Aside, Outcome, Route
from grice.middleware.service.capabilities.wire import (
    NO_BOT,
    ONE_TURN,
    WHOLE,
    Failures,
    ReplyItem,
    Wire,
    at_most_one,
    check_distinct,
    derived,
)
from grice.middleware.service.capabilities.work import News, menu_work
from grice.middleware.service.conversations import History
from grice.middleware.settings import Mode
from grice.middleware.turns.analysis import Decision, Reason, StageFailure, TurnAnalysis
from grice.middleware.turns.clarification import Clarification
from grice.middleware.turns.pipeline import appended
from grice.models.dialogue import Dialogue
from grice.models.errors import DeadlineExceeded
from grice.models.meaning.reader import KEPT_MENUS
from grice.models.meaning.results import MeaningQuestion, TurnMeaning

Asked = TypeVar("Asked")


class TurnItem(ReplyItem, SchemaChoice):
    """A user turn to analyse. With `dialogue_id` it is kept, after the bot's turns since the last call, for the next call.

    With a menu it is rewritten by what it means of that menu.
    """

    model_config = ConfigDict(json_schema_extra={"allOf": [ONE_TURN, WHOLE, NO_BOT, at_most_one("schema", "schema_id")]})

    mode: Annotated[
        Mode | None,
        Field(description="What `text` of the answer is: the rewrite alone, or after the original. Default: the service's."),
    ] = None


class WireFinding(Wire):
    """Why the guard does not support a rewrite."""

    kind: Annotated[Literal["added", "dropped", "negation"], Field(description="Brought in, lost, or flipped by the rewrite.")]
    what: Annotated[
        Literal["number", "time", "date", "price", "name", "quoted", "topic", "negation", "agreement", "meaning"],
        Field(description="What kind of value."),
    ]
    value: Annotated[str, Field(description="The value as it is written.")]


class WireTurnMeaning(derived(TurnMeaning)):  # type: ignore[misc]
    """What a turn means of the bot's menu."""


class WireClarification(derived(Clarification)):  # type: ignore[misc]
    """What to ask the user, ready to be asked."""


class TurnResult(Wire):
    """A user turn after the pipeline: give `text` to the NLU."""

    dialogue_id: Annotated[str | None, Field(description="The dialogue that the turn was kept in.")]
    original: Annotated[str, Field(description="The turn as it came.")]
    text: Annotated[str, Field(description="What the NLU should read; the original unless `decision` is `rewrite`.")]
    decision: Annotated[Decision, Field(description="`clarify`: no rewrite can be trusted, ask the user.")]
    reason: Annotated[Reason, Field(description="Why.")]
    directness: Annotated[WireDirectness | None, Field(description="Null where it was not scored.")]
    rewrite: Annotated[WireRewrite | None, Field(description="Null where none was made; there also when it was not trusted.")]
    findings: Annotated[list[WireFinding], Field(description="What the guard found against the rewrite.")]
    meaning: Annotated[WireTurnMeaning | None, Field(description="Null where no menu was given, or the turn was not read.")]
    clarification: Annotated[
        WireClarification | None,
        Field(description="With a menu, where `decision` is `clarify`: what to ask the user. Ask only if your NLU is unsure, too."),
    ]
    failures: Failures


class TurnRoute(Route[TurnItem, Dialogue | MeaningQuestion, TurnAnalysis]):
    """Decides for each user turn: pass it on, rewrite it, or ask the user back. Give `text` of the answer to the NLU.

    With `dialogue_id` the service keeps the dialogue: send what the bot said since (`bot`) and the new turn (`text`). A model or a
    store that fails does not stop the conversation: the turn passes unchanged, or is analysed without history; `failures` says so.
    Turns are kept in the order in which calls finish, so send the turns of one dialogue one after the other.

    With `schema` or `schema_id`, what the bot can understand, the rewrite says what the turn means of it, in words of the menu, if
    the reader of meaning reads them as the same; where it is torn between two or three meanings, `clarification` is a question that
    finds out. Without a menu the rewriter writes it, and the guard checks it.
    """

    item = TurnItem
    result = TurnResult
    most_tokens = 112
    remembered = KEPT_MENUS
    single = "A single user turn after the pipeline."

    def check(self, items: Sequence[TurnItem]) -> None:
        check_distinct(items)

    async def questions(
        self, items: Sequence[TurnItem], histories: Sequence[History], aside: Aside
    ) -> list[Dialogue | MeaningQuestion]:
        dialogues = [each for each in await super().questions(items, histories, aside) if isinstance(each, Dialogue)]
        menus = await schemas_of(self.engine, items, aside)
        return [each if menu is None else MeaningQuestion(each, menu) for each, menu in zip(dialogues, menus, strict=True)]

    def ask(self, item: TurnItem, dialogue: Dialogue) -> Dialogue | MeaningQuestion:
        return dialogue

    def work(self, asked: Dialogue | MeaningQuestion) -> int:
        return super().work(asked) + (menu_work(asked.schema) if isinstance(asked, MeaningQuestion) else 0)

    def cost(self, asked: Dialogue | MeaningQuestion, news: News) -> float:
        known = isinstance(asked, Dialogue) or not news.add(asked.schema)
        return super().work(asked) if known else self.work(asked)

    def predicts(self) -> Mapping[str, Predict[Dialogue | MeaningQuestion, TurnAnalysis]]:
        return {self.capability.name: retrying(self.model.predict)}

    async def keep(self, items: Sequence[TurnItem], found: list[Outcome[TurnAnalysis]]) -> list[Outcome[TurnAnalysis]]:
        """They are kept last, so that a call that was refused or failed can be sent again without keeping its turns twice."""
        names = [None if each.failures else item.dialogue_id for item, each in zip(items, found, strict=True)]
        failed = await self.engine.conversations.keep(names, [item.new_turns() for item in items])
        return [
            each if failure is None else Outcome(each.result, (*each.failures, failure))
            for each, failure in zip(found, failed, strict=True)
        ]

    def count(self, found: Sequence[Outcome[TurnAnalysis]]) -> None:
        super().count(found)
        for each in found:
            self.engine.metrics.turn(each.result)

    def shown(self, item: TurnItem, result: TurnAnalysis) -> dict[str, Any]:
        return {**encode(result), "dialogue_id": item.dialogue_id, "text": _text(result, item.mode)}

    def failures(self, result: TurnAnalysis) -> Sequence[StageFailure]:
        return result.failures

    def history_cut(self, result: TurnAnalysis) -> int:
        return 0 if result.directness is None else result.directness.history_cut


OFFER = TurnRoute


def _text(analysis: TurnAnalysis, mode: Mode | None) -> str:
    if mode is None or analysis.decision != "rewrite" or analysis.rewrite is None:
        return analysis.text
    return analysis.rewrite.text if mode == "replace" else appended(analysis.original, analysis.rewrite.text)


def retrying(predict: Predict[Asked, TurnAnalysis]) -> Predict[Asked, TurnAnalysis]:
    """A pipeline that tries failed turns again alone, so that one which breaks a model does not take others with it.

    Late turns are not tried again: the others would wait for them once more.
    """

    def run(dialogues: Sequence[Asked]) -> list[TurnAnalysis]:
        analyses = list(predict(dialogues))
        for place, analysis in enumerate(analyses):
            if len(analyses) > 1 and analysis.failures and not any(map(_is_late, analysis.failures)):
                (analyses[place],) = predict([dialogues[place]])
        return analyses

    return run


def _is_late(failure: StageFailure) -> bool:
    return failure.error == DeadlineExceeded.__name__
