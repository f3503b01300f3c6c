"""POST /v1/events"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Body, Depends
from starlette.concurrency import run_in_threadpool

from grice.middleware.events.event import DialogueEvent
from grice.middleware.service import examples
from grice.middleware.service.answers import BatchAnswer, EventAnswer, EventResult
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.json_body import require_json
from grice.middleware.service.openapi import answered
from grice.middleware.service.schemas import EventBody, items_of
from grice.middleware.stores import DialogueStore

router = APIRouter(tags=["conversation"], dependencies=[Depends(require_json)])


@router.post(
    "/v1/events",
    operation_id="keep_events",
    summary="What was said in a dialogue, for its history and for the behaviour monitor",
    responses=answered(examples.EVENT_ANSWER),
)
async def keep_events(
    body: Annotated[EventBody, Body(openapi_examples=examples.EVENTS)], engine: EngineOf
) -> EventAnswer | BatchAnswer[EventResult]:
    """Keeps the turn of each event at the end of its dialogue, in the order given; adds the event to the stream of the settings.

    A turn is kept once, by its `event_id`, however often the event comes; the stream may hold an event more than once after a call
    that failed. If the store or the stream cannot be reached, the call fails as a whole (503) and should be sent again.
    """
    items, single = items_of(body)
    events = [item.event() for item in items]
    kept = await run_in_threadpool(_keep, engine.store, events)
    if engine.stream is not None:
        await run_in_threadpool(engine.stream.publish, events)
    for event, new in zip(events, kept, strict=True):
        engine.metrics.event(event.speaker, new)
    if single:
        return EventAnswer(event_id=events[0].event_id, kept=kept[0])
    return BatchAnswer(items=[EventResult(event_id=event.event_id, kept=new) for event, new in zip(events, kept, strict=True)])


def _keep(store: DialogueStore, events: Sequence[DialogueEvent]) -> list[bool]:
    return [store.append(event.dialogue_id, [event.turn], once=event.event_id) for event in events]
