"""POST /v1/mind"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends

from grice.middleware.service import examples
from grice.middleware.service.answers import BatchAnswer, wire_failures
from grice.middleware.service.engine import EngineOf, Found
from grice.middleware.service.json_body import require_json
from grice.middleware.service.mind_wire import (
    MindAnswer,
    MindBody,
    MindResult,
    WireItemAttitude,
    WireNextStrategies,
    WireTurnIntentions,
)
from grice.middleware.service.openapi import answered
from grice.middleware.service.problems import Problem, Refused
from grice.middleware.service.schemas import items_of
from grice.models.minds.results import ItemAttitude, MindReading, NextStrategies, TurnIntentions

router = APIRouter(tags=["models"], dependencies=[Depends(require_json)])

NO_MIND = Problem(
    501, "no-mind", "No mind model is loaded here: start the service without --no-mind (and without GRICE_MIND=false)."
)


@router.post(
    "/v1/mind",
    operation_id="read_minds",
    summary="What recommender and seeker of a recommendation dialogue have in mind",
    responses=answered(examples.MIND_ANSWER, 501),
)
async def read_minds(
    body: Annotated[MindBody, Body(openapi_examples=examples.MIND)], engine: EngineOf
) -> MindAnswer | BatchAnswer[MindResult]:
    """Finds the intentions of each turn, the seeker's attitude to each item, and the strategies that come next.

    With `dialogue_id` the history is read from the kept dialogue; nothing is kept.
    """
    if engine.minds is None:
        raise Refused(NO_MIND)
    items, single = items_of(body)
    rows = []
    for found in await engine.read_minds(engine.minds, items):
        engine.metrics.history_cut(found.result.history_cut)
        rows.append(_row(found))
    return MindAnswer(**vars(rows[0])) if single else BatchAnswer(items=rows)


def _row(found: Found[MindReading]) -> MindResult:
    reading = found.result
    return MindResult(
        turns=[_turn(turn) for turn in reading.turns],
        attitudes=[_attitude(item) for item in reading.items],
        next=_next(reading.next),
        history_read=reading.history_read,
        history_cut=reading.history_cut,
        failures=wire_failures(found.failures),
    )


def _turn(turn: TurnIntentions) -> WireTurnIntentions:
    return WireTurnIntentions(
        place=turn.place, role=turn.role, coarse=list(turn.coarse), fine=list(turn.fine), probabilities=dict(turn.probabilities)
    )


def _attitude(item: ItemAttitude) -> WireItemAttitude:
    return WireItemAttitude(
        item=item.item,
        place=item.place,
        suggested_by=item.attitude.suggested_by,
        seen=item.seen,
        liked=item.liked,
        likely_to_watch=item.likely_to_watch,
    )


def _next(following: NextStrategies) -> WireNextStrategies:
    return WireNextStrategies(
        role=following.role,
        strategies=list(following.labels),
        probabilities=dict(following.probabilities),
        effective={strategy: following.effective(strategy) for strategy in following.probabilities},
    )
