"""Scores responses, and tries again what failed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from grice.middleware.events.event import DialogueEvent
from grice.middleware.monitor.known import question_of
from grice.middleware.monitor.monitor import Monitor
from grice.middleware.monitor.reports import Judgement, MonitorQuestion, ResponseReport
from grice.middleware.monitor.scored_response import ResponseOrigin, ScoredResponse
from grice.middleware.runtime.isolation import isolate
from grice.middleware.telemetry.trace_context import checked_traceparent
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Failed:
    """A response that could not be scored.

    Attributes:
        error: class of the error.
        message: what it said; it may quote the response.
        tries: how often it was tried.
    """

    error: str
    message: str
    tries: int


@dataclass(frozen=True)
class ScoredEvent:
    """A result, and what a judge was asked for it."""

    response: ScoredResponse
    judgements: Sequence[Judgement] = ()


BotResponse = tuple[DialogueEvent, Dialogue]
"""A response of the bot, and the dialogue that ends in it."""


def score(
    monitor: Monitor, asked: Sequence[BotResponse], max_tries: int, wait: Callable[[int], None]
) -> list[ScoredEvent | Failed]:
    """One result for each response, in order.

    Args:
        max_tries: how often each is tried.
        wait: called before each further try with its number, 2 or more.
    """
    found: list[ScoredEvent | Failed] = _scored(monitor, asked, 1)
    for tries in range(2, max_tries + 1):
        places = [place for place, each in enumerate(found) if isinstance(each, Failed)]
        if not places:
            break
        wait(tries)
        for place, each in zip(places, _scored(monitor, [asked[place] for place in places], tries), strict=True):
            found[place] = each
    return found


def _scored(monitor: Monitor, asked: Sequence[BotResponse], tries: int) -> list[ScoredEvent | Failed]:
    def work(asked: Sequence[BotResponse]) -> list[ScoredEvent | Failed]:
        questions = [question_of(dialogue, event.metadata) for event, dialogue in asked]
        reports = monitor.predict(questions, [event.tenant for event, _ in asked])
        return [
            _result(monitor, (event, question), report, tries)
            for (event, _), question, report in zip(asked, questions, reports, strict=True)
        ]

    return [_failed(outcome, tries) if isinstance(outcome, Exception) else outcome for outcome in isolate(work, asked)]


def _failed(error: Exception, tries: int) -> Failed:
    log.warning("a response could not be scored", extra={"error": type(error).__name__})  # its message may quote it
    return Failed(type(error).__name__, str(error), tries)


def _result(
    monitor: Monitor, asked: tuple[DialogueEvent, MonitorQuestion], report: ResponseReport, tries: int
) -> ScoredEvent | Failed:
    event, question = asked
    if report.behaviors is None:
        failure = report.failures[-1] if report.failures else StageFailure("monitor", "ModelError", "the monitor gave no reason")
        return Failed(failure.error, failure.message, tries)
    response = ScoredResponse.of(report, question, monitor.model, _origin_of(event))
    return ScoredEvent(response, report.judgements)


def unscored_response(event: DialogueEvent, failed: Failed) -> ScoredResponse:
    """A response that could not be scored, as rates and metrics count it. It does not go to the results."""
    failure = StageFailure("monitor", failed.error, failed.message)
    return ScoredResponse(**asdict(_origin_of(event)), text=event.text, scored_at=time.time(), failures=(failure,))


def _origin_of(event: DialogueEvent) -> ResponseOrigin:
    return ResponseOrigin(
        event.event_id,
        event.dialogue_id,
        event.timestamp,
        event.channel,
        event.bot_version,
        event.action,
        event.tenant,
        checked_traceparent(event.metadata.get("traceparent")),
    )
