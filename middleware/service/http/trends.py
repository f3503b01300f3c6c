"""GET /v1/rates/history and /v1/rates/comparison"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool

from grice.middleware.events.event import MAX_NAME
from grice.middleware.rates import LONGEST_WINDOW_S, SHORTEST_WINDOW_S, RateSplit
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.http.openapi import problems
from grice.middleware.service.http.watching import Chosen, Named
from grice.middleware.service.watch.trend_wire import ComparisonAnswer, RateHistoryAnswer, wire_comparison, wire_history
from grice.middleware.service.watch.watch import RateQuery

router = APIRouter(tags=["monitor"])

Version = Annotated[str, Query(min_length=1, max_length=MAX_NAME, description="A version of the bot; `unknown`: none was given.")]


@router.get(
    "/v1/rates/history", operation_id="read_rate_history", summary="Rates of behaviours over time", responses=problems(422, 503)
)
async def read_rate_history(
    query: Chosen,
    engine: EngineOf,
    steps: Annotated[int, Query(ge=2, le=60, description="About how many steps the window has.")] = 24,
    by: Annotated[RateSplit | None, Query(description="One series for each of these; null: for all together.")] = None,
) -> RateHistoryAnswer:
    """The rates of the window step by step, each with its interval."""
    found = await run_in_threadpool(engine.watch.history, query, steps, () if by is None else (by,))
    return wire_history(query, found)


@router.get(
    "/v1/rates/comparison",
    operation_id="compare_versions",
    summary="Two versions of the bot, side by side",
    responses=problems(422, 503),
)
async def compare_versions(
    first: Version,
    second: Version,
    engine: EngineOf,
    window_s: Annotated[
        int, Query(ge=SHORTEST_WINDOW_S, le=LONGEST_WINDOW_S, description="The last so many seconds.")
    ] = RateQuery.window_s,
    channel: Named = None,
) -> ComparisonAnswer:
    """The rates of each behaviour in both versions, their difference with its interval, and whether chance alone explains it."""
    one = RateQuery(window_s, first, channel)
    other = replace(one, bot_version=second)
    return wire_comparison(one, other, await run_in_threadpool(engine.watch.compare, one, other))
