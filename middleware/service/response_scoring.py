"""The bot's responses on their way through the monitor: after their history, kept, and recorded."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from starlette.concurrency import run_in_threadpool

from grice.middleware.monitor import Monitor, ResponseReport, ScoredResponse
from grice.middleware.service.batcher import Batcher
from grice.middleware.service.conversations import Conversations
from grice.middleware.service.schemas import ResponseItem
from grice.middleware.service.watch import Watch
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue, Turn

JUDGES = 8
"""Requests whose questions are asked side by side; the others wait."""

History = tuple[Turn, ...] | StageFailure


@dataclass(frozen=True)
class Scored:
    """A response, what the monitor found, and what of the store failed on the way."""

    event_id: str
    dialogue: Dialogue
    report: ResponseReport
    failures: tuple[StageFailure, ...] = ()


class ResponseScoring:
    """Scores the responses of a request.

    Args:
        monitor: whose judge is asked, and whose thresholds hold.
        reports: runs the monitor's model, without its judge: nobody waits for the questions about another's response.
    """

    def __init__(
        self, monitor: Monitor, reports: Batcher[Dialogue, ResponseReport], conversations: Conversations, watch: Watch
    ) -> None:
        self.monitor = monitor
        self.reports = reports
        self.watch = watch
        self._conversations = conversations
        self._judges = ThreadPoolExecutor(JUDGES, thread_name_prefix="grice-judge")

    def close(self) -> None:
        """Ask the judge nothing more."""
        self._judges.shutdown(wait=False, cancel_futures=True)

    async def score(self, items: Sequence[ResponseItem]) -> list[Scored]:
        """Score, keep and record responses, in order.

        One with an `event_id` is kept first, once, and scored after what came before it: so it can be sent again, and it does not
        matter whether `/v1/events` told of it before. One without is kept last, as user turns are.

        Raises:
            Overloaded: the queue is full.
        """
        histories = await self._histories(items)
        dialogues = [
            item.dialogue(() if isinstance(history, StageFailure) else history, "bot")
            for item, history in zip(items, histories, strict=True)
        ]
        reports = await self._judged(items, dialogues, await self.reports.submit(dialogues))
        kept = await self._keep(items, histories)
        found = [
            Scored(
                item.event_id or uuid.uuid4().hex, dialogue, report, tuple(each for each in more if isinstance(each, StageFailure))
            )
            for item, dialogue, report, more in zip(items, dialogues, reports, zip(histories, kept, strict=True), strict=True)
        ]
        return await self._recorded(items, found)

    async def _histories(self, items: Sequence[ResponseItem]) -> list[History]:
        named = [item.dialogue_id if item.event_id is not None else None for item in items]
        turns, event_ids = [item.new_turns("bot") for item in items], [item.event_id for item in items]
        failed = await self._conversations.keep(named, turns, event_ids)
        names = [None if failure else item.dialogue_id for item, failure in zip(items, failed, strict=True)]
        read = await self._conversations.recall(names)
        return [
            failure or (history if name is None or isinstance(history, StageFailure) else _before(history, new))
            for new, name, failure, history in zip(turns, named, failed, read, strict=True)
        ]

    async def _judged(
        self, items: Sequence[ResponseItem], dialogues: Sequence[Dialogue], reports: list[ResponseReport]
    ) -> list[ResponseReport]:
        places = [place for place, item in enumerate(items) if item.judged]
        if self.monitor.judge is None or not places:
            return reports
        work = partial(self.monitor.second_opinions, [dialogues[place] for place in places], [reports[place] for place in places])
        opinions = await asyncio.get_running_loop().run_in_executor(self._judges, work)
        self.watch.metrics.judgements([judgement for report in opinions for judgement in report.judgements])
        for place, report in zip(places, opinions, strict=True):
            reports[place] = report
        return reports

    async def _keep(self, items: Sequence[ResponseItem], histories: Sequence[History]) -> list[StageFailure | None]:
        names = [
            None if item.event_id is not None or isinstance(history, StageFailure) else item.dialogue_id
            for item, history in zip(items, histories, strict=True)
        ]
        return await self._conversations.keep(names, [item.new_turns("bot") for item in items])

    async def _recorded(self, items: Sequence[ResponseItem], found: list[Scored]) -> list[Scored]:
        now = time.time()
        counted = [place for place, item in enumerate(items) if item.counted]
        responses = [self._response(items[place], found[place], now) for place in counted]
        failure = await run_in_threadpool(self.watch.record, responses) if responses else None
        if failure is not None:
            for place in counted:
                each = found[place]
                found[place] = Scored(each.event_id, each.dialogue, each.report, (*each.failures, failure))
        return found

    def _response(self, item: ResponseItem, scored: Scored, now: float) -> ScoredResponse:
        return ScoredResponse.of(
            scored.report,
            scored.dialogue,
            self.monitor.model,
            event_id=scored.event_id,
            dialogue_id=item.dialogue_id or "",
            timestamp=now,
            channel=item.channel,
            bot_version=item.bot_version,
            action=item.action,
        )


def _before(history: tuple[Turn, ...], new: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns before the newest one that is the response itself; all where it has gone already."""
    places = [place for place, turn in enumerate(history) if [turn] == list(new)]
    return history[: places[-1]] if places else history
