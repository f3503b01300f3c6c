"""POST /v1/responses"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends

from grice.middleware.service import examples
from grice.middleware.service.answers import BatchAnswer
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.json_body import require_json
from grice.middleware.service.openapi import answered
from grice.middleware.service.problems import Problem, Refused
from grice.middleware.service.response_answers import ResponseAnswer, ResponseResult
from grice.middleware.service.schemas import ResponseBody, check_distinct, items_of
from grice.middleware.service.wire_responses import response_row

router = APIRouter(tags=["monitor"], dependencies=[Depends(require_json)])

NO_MONITOR = Problem(
    501, "no-monitor", "No monitor is loaded here: start the service without --no-monitor (and without GRICE_MONITOR=false)."
)


@router.post(
    "/v1/responses",
    operation_id="score_responses",
    summary="Which of nine behaviours the bot's responses show",
    responses=answered(examples.RESPONSE_ANSWER, 501),
)
async def score_responses(
    body: Annotated[ResponseBody, Body(openapi_examples=examples.RESPONSES)], engine: EngineOf
) -> ResponseAnswer | BatchAnswer[ResponseResult]:
    """Scores each response in the light of the turns before it, and adds it to rates and alarms unless `counted` is false.

    With `dialogue_id` the history is read from the kept dialogue, and the response is kept there; with an `event_id` too it is
    kept and counted once, however often it is sent, and whether or not `/v1/events` has told of it. A model or a store that fails
    is told in `failures`; the status is 200 then too, as the conversation should go on. A worker (`grice monitor`) that reads the
    stream of events scores what is posted to `/v1/events`: where both see the same responses, send them here with `counted` false.
    """
    if engine.responses is None:
        raise Refused(NO_MONITOR)
    items, single = items_of(body)
    check_distinct(items)
    thresholds = engine.responses.monitor.thresholds
    found = await engine.responses.score(items)
    for each in found:
        for failure in (*each.report.failures, *each.failures):
            engine.metrics.failure(failure)
        if each.report.behaviors is not None:
            engine.metrics.history_cut(each.report.behaviors.history_cut)
    rows = [response_row(item.dialogue_id, each, thresholds) for item, each in zip(items, found, strict=True)]
    return ResponseAnswer(**rows[0]) if single else BatchAnswer(items=[ResponseResult(**row) for row in rows])
