"""POST /v1/alarms/{place}/feedback and GET /v1/alarms/feedback"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Response
from starlette.concurrency import run_in_threadpool

from grice.middleware.feedback import Feedback
from grice.middleware.service.capabilities.route import examples_of
from grice.middleware.service.engine import Engine, EngineOf
from grice.middleware.service.http.body import require_json
from grice.middleware.service.http.openapi import problems
from grice.middleware.service.http.problems import Problem, Refused
from grice.middleware.service.watch.alarms import Alarm
from grice.middleware.service.watch.alert_wire import FeedbackAnswer, FeedbackItem, wire_feedback
from grice.models.dialogue import Turn
from grice.models.errors import StoreError

router = APIRouter(tags=["monitor"])

EXAMPLES = examples_of("feedback")["requests"]
UNKNOWN = Problem(404, "unknown-alarm", "There is no such alarm: only the newest are kept, as `alarms_kept` says.")
LINES = "application/x-ndjson"


@router.post(
    "/v1/alarms/{place}/feedback",
    operation_id="judge_alarm",
    summary="Say of an alarm that it is seen, wrong or right",
    dependencies=[Depends(require_json)],
    responses=problems(404, 413, 415, 422, 503),
)
async def judge_alarm(
    place: Annotated[str, Path(max_length=50, description="The place of the alarm, as `/v1/alarms` tells it.")],
    body: Annotated[FeedbackItem, Body(openapi_examples=EXAMPLES)],
    engine: EngineOf,
) -> FeedbackAnswer:
    """Kept with the response and what was said before it, so that it can be exported when alarm and dialogue are gone."""
    alarm = engine.watch.alarms.at(place)
    if alarm is None:
        raise Refused(UNKNOWN)
    return wire_feedback(await run_in_threadpool(_keep, engine, alarm, body))


@router.get(
    "/v1/alarms/feedback",
    operation_id="export_feedback",
    summary="The judged alarms as labelled responses",
    response_class=Response,
    responses={
        200: {
            "description": "JSON lines, as `grice calibrate monitor --log` reads them.",
            "content": {LINES: {"schema": {"type": "string"}}},
        },
        **problems(503),
    },
)
async def export_feedback(engine: EngineOf) -> Response:
    """One line a response whose alarm was called right or wrong, the oldest verdict first."""
    said = await run_in_threadpool(engine.watch.feedback.all)
    lines = [json.dumps(row, ensure_ascii=False) for each in said.values() if (row := each.labelled()) is not None]
    return Response("".join(f"{line}\n" for line in lines), media_type=LINES)


def _keep(engine: Engine, alarm: Alarm, body: FeedbackItem) -> Feedback:
    response = alarm.response
    given = None if body.turns is None else tuple(Turn(each.speaker, each.text) for each in body.turns)
    feedback = Feedback(
        alarm.place,
        body.verdict,
        time.time(),
        response.event_id,
        response.dialogue_id,
        response.text,
        response.bot_version,
        response.channel,
        response.shown,
        _before(engine, alarm) if given is None else given,
        response.setting,
        response.documents,
        response.facts,
        response.policy,
    )
    engine.watch.feedback.put(feedback)
    return feedback


def _before(engine: Engine, alarm: Alarm) -> tuple[Turn, ...]:
    """The kept turns before the newest one that is the response; none where the dialogue is not kept any more."""
    if not alarm.response.dialogue_id:
        return ()
    try:
        turns: Sequence[Turn] = engine.store.read(alarm.response.dialogue_id)
    except StoreError:
        return ()  # the verdict is worth keeping without
    places = [place for place, turn in enumerate(turns) if (turn.speaker, turn.text) == ("bot", alarm.response.text)]
    return tuple(turns[: places[-1]]) if places else ()
