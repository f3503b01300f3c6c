"""POST /v1/responses"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, get_args

from pydantic import Field, model_validator
from starlette.concurrency import run_in_threadpool

from grice.middleware.capabilities.codec import encode
from grice.middleware.monitor import Monitor, ResponseReport, ScoredResponse
from grice.middleware.monitor.reports import WatchedLabel
from grice.middleware.monitor.scored_response import ResponseOrigin
from grice.middleware.service.batcher import Predict
from grice.middleware.service.capabilities.route import Outcome, Route
from grice.middleware.service.capabilities.wire import Failures, Name, Text, Wire, WireItem, check_distinct, derived
from grice.middleware.service.capabilities.work import EACH, News, text_work
from grice.middleware.service.conversations import History
from grice.middleware.service.waiting.call import Pay
from grice.middleware.telemetry.trace_context import INCOMING, PATTERN
from grice.middleware.turns.analysis import StageFailure
from grice.models.behaviors.inputs import HISTORY_TURNS
from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue, Speaker, Turn
from grice.models.relations.labels import Setting
from grice.models.relations.quotes import quote_sentences
from grice.models.relations.results import RelationQuestion, ResponseRelations
from grice.models.relations.rows import text_rows
from grice.models.results import Behavior, Behaviors
from grice.models.sentence_encoder.encoder import REMEMBERED

MAX_KNOWN = 64
"""Documents, rows and policies that a request may bring, of each."""
MOST_TOKENS = 128
"""That are read of a turn."""
JUDGES = 8
"""Requests whose questions are asked side by side; the others wait."""

Probabilities = dict[Behavior, Annotated[float | None, Field(ge=0, le=1)]]


class ResponseItem(WireItem):
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

    traceparent: Annotated[
        str | None,
        Field(
            pattern=PATTERN,
            description="The span in which the bot made it (W3C Trace Context): scores go there. Default: the request's header.",
        ),
    ] = None

    documents: Annotated[
        list[Text], Field(max_length=MAX_KNOWN, description="What the bot was given to answer from; sentences are held against it.")
    ] = Field(default_factory=list)
    facts: Annotated[
        list[dict[str, str | int | float | bool | None]],
        Field(
            max_length=MAX_KNOWN,
            description="Rows of tools' results or of a database, fields to values; held against exactly. A number is read as JSON "
            "writes it, true as `yes`, false as `no`; a field that is null is left out.",
        ),
    ] = Field(default_factory=list)
    policy: Annotated[list[Text], Field(max_length=MAX_KNOWN, description="What the bot has to keep to.")] = Field(
        default_factory=list
    )
    setting: Annotated[
        Setting | None, Field(description="Whose budget of alarms holds for it. Default: found from the dialogue.")
    ] = None

    @model_validator(mode="after")
    def _bot_last(self) -> ResponseItem:
        if self.turns is not None and self.turns[-1].speaker != "bot":
            raise ValueError("the last of turns must be the bot's")
        return self

    def dialogue(self, history: Sequence[Turn], speaker: Speaker = "bot") -> Dialogue:
        """The dialogue; `text` is the bot's."""
        return super().dialogue(history, "bot")

    def told_dialogue(self) -> str:
        """The name of its dialogue in alarms and where scores go; "": it has none."""
        return self.dialogue_id or ""


WireRelations: Any = derived(ResponseRelations)
WireSpan: Any = get_args(WireRelations.model_fields["about"].annotation)[0]
"""Quoted words, with the places of their turn and sentence, and where they begin and end."""


class WireEvidence(Wire):
    """The earlier turn that a behaviour is about."""

    turn: Annotated[
        int,
        Field(description="Its place in `turns`, or in the kept dialogue; 0 is the oldest. Rows that are left out do not count."),
    ]
    speaker: Annotated[Speaker, Field(description="Who said it.")]
    text: Annotated[str, Field(description="What was said.")]
    about: Annotated[WireSpan, Field(description="The sentence of that turn that has most words in common with the response.")]
    words: Annotated[WireSpan, Field(description="The sentence of the response that has most words in common with that turn.")]


class WireJudgement(Wire):
    """What a large language model says of one behaviour, or of an alarm."""

    behavior: Annotated[WatchedLabel, Field(description="What it was asked about; `alarm`: whether anything is wrong.")]
    decision: Annotated[bool | None, Field(description="Whether the response shows it; null: it gave no decision.")]
    reasoning: Annotated[str, Field(description="What it said before its decision.")]
    unscored: Annotated[str, Field(description="Why there is no decision; empty where there is one.")]
    error: Annotated[str, Field(description="The class of the error that kept it from an answer; empty where it answered.")]
    evidence: Annotated[int | None, Field(description="The place of the turn that the response was held against when it said yes.")]
    prompt_tokens: Annotated[int, Field(description="Tokens that it read, as its server counts them.")]
    completion_tokens: Annotated[int, Field(description="Tokens that it wrote.")]
    cost: Annotated[float | None, Field(description="US dollars; null: no price is known.")]
    cached: Annotated[bool, Field(description="The answer was remembered.")]


class ResponseResult(Wire):
    """A bot's response after the monitor."""

    event_id: Annotated[str, Field(description="Its name, the caller's or a new one.")]
    dialogue_id: Annotated[str | None, Field(description="The dialogue that it was kept in.")]
    probabilities: Annotated[
        Probabilities | None,
        Field(description="How likely it shows each behaviour, 0 to 1; null where it was not scored, which is neither yes nor no."),
    ]
    thresholds: Annotated[dict[Behavior, float], Field(description="The probability from which on a behaviour counts as shown.")]
    shown: Annotated[list[Behavior], Field(description="What it shows: as a judge decided, otherwise what reaches its threshold.")]
    evidence: Annotated[
        dict[Behavior, WireEvidence],
        Field(
            description="For `!Sel`, `!Par` and `Red`: the earlier turn that it most likely clashes with, with sentences of both. "
            "`quotes` of `relations` has the words on both sides of every behaviour that is shown."
        ),
    ]
    judgements: Annotated[list[WireJudgement], Field(description="What a judge said, where one was asked.")]
    relations: Annotated[
        WireRelations | None,
        Field(description="How it relates to what was said and what is known; null where no reader of relations is loaded."),
    ] = None
    suppressed: Annotated[
        list[WatchedLabel],
        Field(
            description="Undesired behaviours that the model found and a judge denied: they are not in `shown`. `alarm`: a judge "
            "took the alarm of `relations` away."
        ),
    ]
    history_read: Annotated[int | None, Field(description="Turns of history that the model read; null where it failed.")]
    history_cut: Annotated[int | None, Field(description="Older turns that did not fit and were left out.")]
    text_cut: Annotated[bool | None, Field(description="The end of the response itself did not fit and was left out.")]
    failures: Failures


@dataclass(frozen=True)
class ResponseOutcome:
    """A response, what was asked about it, and what the monitor found."""

    event_id: str
    asked: RelationQuestion
    report: ResponseReport


class ResponseRoute(Route[ResponseItem, RelationQuestion, ResponseOutcome]):
    """Scores each response in the light of the turns before it, and adds it to rates and alarms unless `counted` is false.

    With `dialogue_id` the history is read from the kept dialogue, and the response is kept there; with an `event_id` too it is
    kept and counted once, however often it is sent, and whether or not `/v1/events` has told of it. A model or a store that fails
    is told in `failures`; the status is 200 then too, as the conversation should go on. A worker (`grice monitor`) that reads the
    stream of events scores what is posted to `/v1/events`: where both see the same responses, send them here with `counted` false.
    """

    item = ResponseItem
    result = ResponseResult
    remembered = REMEMBERED
    single = "A single response after the monitor."
    model: Monitor

    def ask(self, item: ResponseItem, dialogue: Dialogue) -> RelationQuestion:
        known = (tuple(item.documents), text_rows(item.facts), tuple(item.policy))
        return RelationQuestion(dialogue, *known, item.setting)

    def work(self, asked: RelationQuestion) -> int:
        """Each turn, and all that the bot should know, is read by itself."""
        return sum(text_work(text, most) for text, most in _texts(asked))

    def cost(self, asked: RelationQuestion, news: News) -> float:
        return EACH + sum(text_work(text, most) for text, most in _texts(asked) if news.add(text))

    def predicts(self) -> Mapping[str, Predict[RelationQuestion, ResponseReport]]:
        """The monitor's model without its judge: nobody waits for the questions about another's response."""

        def predict(asked: Sequence[RelationQuestion]) -> list[ResponseReport]:
            began = time.perf_counter()
            reports = self.model.score(asked)
            self.engine.watch.metrics.batch(time.perf_counter() - began)
            return reports

        self._judges = ThreadPoolExecutor(JUDGES, thread_name_prefix="grice-judge")
        return {"behaviors": predict}

    def check(self, items: Sequence[ResponseItem]) -> None:
        check_distinct(items)

    async def histories(self, items: Sequence[ResponseItem]) -> list[History]:
        """A response with an `event_id` is kept first, once, and scored after what came before it.

        So it can be sent again, and it does not matter whether `/v1/events` told of it before. One without is kept last, as user
        turns are.
        """
        named = [item.dialogue_id if item.event_id is not None else None for item in items]
        turns, event_ids = [item.new_turns("bot") for item in items], [item.event_id for item in items]
        failed = await self.engine.conversations.keep(named, turns, event_ids)
        names = [None if failure else item.dialogue_id for item, failure in zip(items, failed, strict=True)]
        read = await self.engine.conversations.recall(names)
        return [
            failure or (history if name is None or isinstance(history, StageFailure) else _before(history, new))
            for new, name, failure, history in zip(turns, named, failed, read, strict=True)
        ]

    async def run(
        self, items: Sequence[ResponseItem], asked: Sequence[RelationQuestion], costs: Sequence[float], pay: Pay
    ) -> list[ResponseOutcome]:
        """The model's reports, and after them the judge's."""
        reports = await self.queues["behaviors"].submit(asked, costs, self.engine.caller, pay)
        judged = [place for place, item in enumerate(items) if item.judged] if self.model.judge is not None else []
        if judged:
            doubtful, found = [asked[place] for place in judged], [reports[place] for place in judged]
            work = partial(self.model.second_opinions, doubtful, found, [self.engine.key.tenant] * len(judged))
            opinions = await asyncio.get_running_loop().run_in_executor(self._judges, work)
            self.engine.watch.metrics.judgements([judgement for report in opinions for judgement in report.judgements])
            for place, report in zip(judged, opinions, strict=True):
                reports[place] = report
        names = [item.event_id or uuid.uuid4().hex for item in items]
        return [ResponseOutcome(*each) for each in zip(names, asked, reports, strict=True)]

    async def keep(self, items: Sequence[ResponseItem], found: list[Outcome[ResponseOutcome]]) -> list[Outcome[ResponseOutcome]]:
        """Keep those that were not kept first, and record those that count: rates, alarms, the stream of results."""
        names = [
            None if item.event_id is not None or each.failures else item.dialogue_id
            for item, each in zip(items, found, strict=True)
        ]
        kept = await self.engine.conversations.keep(names, [item.new_turns("bot") for item in items])
        counted = [place for place, item in enumerate(items) if item.counted]
        now = time.time()
        responses = [self._response(items[place], found[place].result, now) for place in counted]
        recorded = await run_in_threadpool(self.engine.watch.record, responses) if responses else None
        failures = [[each] if each is not None else [] for each in kept]
        if recorded is not None:
            for place in counted:
                failures[place].append(recorded)
        return [replace(each, failures=(*each.failures, *more)) for each, more in zip(found, failures, strict=True)]

    def shown(self, item: ResponseItem, result: ResponseOutcome) -> dict[str, Any]:
        report, found = result.report, result.report.behaviors
        return {
            "event_id": result.event_id,
            "dialogue_id": item.dialogue_id,
            "probabilities": found and dict(found.probabilities),
            "thresholds": self.model.thresholds,
            "shown": list(report.shown),
            "evidence": {} if found is None else _evidence(result.asked.dialogue, found),
            "judgements": encode(report.judgements),
            "relations": report.relations and encode(report.relations),
            "suppressed": list(report.suppressed),
            "history_read": found and found.history_read,
            "history_cut": found and found.history_cut,
            "text_cut": found and found.text_cut,
        }

    def failures(self, result: ResponseOutcome) -> Sequence[StageFailure]:
        return result.report.failures

    def history_cut(self, result: ResponseOutcome) -> int:
        return 0 if result.report.behaviors is None else result.report.behaviors.history_cut

    def close(self) -> None:
        """Ask the judge nothing more."""
        self._judges.shutdown(wait=False, cancel_futures=True)

    def _response(self, item: ResponseItem, scored: ResponseOutcome, now: float) -> ScoredResponse:
        origin = ResponseOrigin(
            scored.event_id,
            item.told_dialogue(),
            now,
            item.channel,
            item.bot_version,
            item.action,
            traceparent=item.traceparent or INCOMING.get(),
        )
        return ScoredResponse.of(scored.report, scored.asked, self.model.model, origin)


OFFER = ResponseRoute


def _before(history: tuple[Turn, ...], new: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns before the newest one that is the response itself; all where it has gone already."""
    places = [place for place, turn in enumerate(history) if [turn] == list(new)]
    return history[: places[-1]] if places else history


def _texts(asked: RelationQuestion) -> Iterator[tuple[str, int]]:
    """What is read of a response, and how many tokens of each at most; a document is read sentence by sentence, to its end."""
    yield from ((turn.text, MOST_TOKENS) for turn in asked.dialogue.turns[-HISTORY_TURNS - 1 :])
    yield from ((text, MAX_TEXT_CHARACTERS) for text in (*asked.documents, *asked.policy))
    yield from ((" ".join(row.values()), MOST_TOKENS) for row in asked.facts)


def _evidence(dialogue: Dialogue, found: Behaviors) -> dict[str, Any]:
    own = len(dialogue.history)
    quoted = {place: quote_sentences(dialogue.turns[place], place, dialogue.last.text, own) for place in found.evidence.values()}
    return {
        label: {"turn": place, **encode(dialogue.turns[place]), **encode(quoted[place])} for label, place in found.evidence.items()
    }
