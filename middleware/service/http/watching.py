"""GET /v1/behaviors, /v1/rates, /v1/alarms and /v1/live"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from grice.middleware.capabilities.responses import RESPONSES
from grice.middleware.events.event import MAX_NAME
from grice.middleware.rates import LONGEST_WINDOW_S, SHORTEST_WINDOW_S
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.http.keys import Access
from grice.middleware.service.http.openapi import problems
from grice.middleware.service.watch.alarms import order_of
from grice.middleware.service.watch.watch import RateQuery
from grice.middleware.service.watch.wire import AlarmsAnswer, BehaviorsAnswer, RatesAnswer, WireBehavior, wire_alarm, wire_rates
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.errors import InputError

router = APIRouter(tags=["monitor"])

Named = Annotated[str | None, Query(min_length=1, max_length=MAX_NAME, description="Only responses of this one.")]


async def _query(
    window_s: Annotated[
        int, Query(ge=SHORTEST_WINDOW_S, le=LONGEST_WINDOW_S, description="The last so many seconds.")
    ] = RateQuery.window_s,
    bot_version: Named = None,
    channel: Named = None,
) -> RateQuery:
    return RateQuery(window_s, bot_version, channel)


Chosen = Annotated[RateQuery, Depends(_query)]


@router.get("/v1/behaviors", operation_id="list_behaviors", summary="The nine behaviours in words", responses=problems())
async def list_behaviors(engine: EngineOf) -> BehaviorsAnswer:
    """Names, maxims, questions and definitions, and the threshold of each here."""
    scoring = engine.routes.get(RESPONSES.name)
    thresholds = {} if scoring is None else scoring.model.thresholds
    return BehaviorsAnswer(
        behaviors=[WireBehavior(**vars(each), threshold=thresholds.get(label)) for label, each in DEFINITIONS.items()]
    )


@router.get(
    "/v1/rates", operation_id="read_rates", summary="How often the bot's responses show a behaviour", responses=problems(422, 503)
)
async def read_rates(query: Chosen, engine: EngineOf) -> RatesAnswer:
    """One rate a behaviour over the last seconds; with `--store redis` of all services and workers together."""
    return wire_rates(await run_in_threadpool(engine.watch.rates, query))


@router.get(
    "/v1/alarms",
    operation_id="read_alarms",
    summary="The last responses that somebody should look at",
    responses=problems(422, 503),
)
async def read_alarms(
    engine: EngineOf, last: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 20
) -> AlarmsAnswer:
    """The newest first, with what was said. They are kept in memory, or read from the stream of results in Redis."""
    said = await run_in_threadpool(engine.watch.feedback.all)
    verdicts = {place: each.verdict for place, each in said.items()}
    alarms = reversed(engine.watch.alarms.after(None, last))
    return AlarmsAnswer(alarms=[wire_alarm(alarm, verdicts.get(alarm.place)) for alarm in alarms])


@router.get(
    "/v1/live",
    operation_id="watch_live",
    summary="Rates and alarming responses as server-sent events",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events `rates` (as `/v1/rates` answers), `alarm` (as in `/v1/alarms`), `unavailable`; and comments.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **problems(422, 429),
    },
)
async def watch_live(
    query: Chosen,
    engine: EngineOf,
    request: Request,
    last_event_id: Annotated[
        str | None, Header(max_length=50, description="The last alarm that came; only later ones follow.")
    ] = None,
) -> StreamingResponse:
    """Begins with the alarms that are kept, or those after `Last-Event-ID`, and the rates; then tells what changes. The query is
    about the rates only.

    A caller that sets headers, such as `Authorization`, reads it with `fetch`: an `EventSource` cannot.
    """
    access: Access = request.app.state.access
    engine.live.check_room(engine.watch)
    return StreamingResponse(
        engine.live.events(engine.watch, query, _place(last_event_id), lambda: access.still_admits(engine.key)),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


def _place(given: str | None) -> str | None:
    if not given:
        return None
    try:
        order_of(given)
    except ValueError:
        raise InputError("Last-Event-ID", given, "the id of an event of this stream") from None
    return given
