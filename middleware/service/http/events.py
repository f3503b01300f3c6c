"""POST /v1/events"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field, PrivateAttr, model_validator
from starlette.concurrency import run_in_threadpool

from grice.middleware.events.event import END_OF_TIME, DialogueEvent
from grice.middleware.service.capabilities.route import Aside, examples_of
from grice.middleware.service.capabilities.wire import DialogueId, Name, Text, Wire, single_answer
from grice.middleware.service.engine import Engine
from grice.middleware.service.http.items import ItemRoute, add_item_route
from grice.middleware.stores import DialogueStore
from grice.models.dialogue import Speaker


class EventItem(Wire):
    """One turn of a dialogue that took place."""

    event_id: Annotated[Name, Field(description="Stable and unique within the dialogue: each event is kept once, by this.")]
    dialogue_id: Annotated[DialogueId, Field(description="Which dialogue.")]
    speaker: Annotated[Speaker, Field(description="Who said it.")]
    text: Annotated[Text, Field(description="What was said.")]
    timestamp: Annotated[float, Field(ge=0, lt=END_OF_TIME, description="When, in Unix seconds.")]
    channel: Annotated[Name | None, Field(description="The way it came, such as `rest`.")] = None
    bot_version: Annotated[Name | None, Field(description="Which version of the bot took part.")] = None
    action: Annotated[Name | None, Field(description="What made the bot say it, such as `utter_greet`.")] = None
    metadata: Annotated[
        dict[str, Any], Field(description="More; `grice` holds the analysis of a user turn or what was found of a response.")
    ] = Field(default_factory=dict)
    schema_version: Annotated[Literal[1], Field(description="Version of this shape.")] = 1

    _event: DialogueEvent = PrivateAttr()

    @model_validator(mode="after")
    def _whole(self) -> EventItem:
        self._event = DialogueEvent.of(**dict(self))
        return self

    def event_of(self, tenant: str) -> DialogueEvent:
        """The event, of the caller's tenant; it was made, and checked, when the body was read."""
        return self._event if tenant == self._event.tenant else replace(self._event, tenant=tenant)


class EventResult(Wire):
    """What became of one event."""

    event_id: Annotated[str, Field(description="Its name.")]
    kept: Annotated[bool, Field(description="False: its turn was there already.")]


async def keep_events(engine: Engine, items: Sequence[EventItem], aside: Aside) -> list[dict[str, Any]]:
    """Keeps the turn of each event at the end of its dialogue, in the order given; adds the event to the stream of the settings.

    A turn is kept once, by its `event_id`, however often the event comes; the stream may hold an event more than once after a call
    that failed. If the store or the stream cannot be reached, the call fails as a whole (503) and should be sent again.
    """
    events = [item.event_of(engine.key.tenant) for item in items]
    kept = await run_in_threadpool(_keep, engine.store, events)
    if engine.stream is not None:
        await run_in_threadpool(engine.stream.publish, events)
    for event, new in zip(events, kept, strict=True):
        engine.metrics.event(event.speaker, new)
    return [{"event_id": event.event_id, "kept": new} for event, new in zip(events, kept, strict=True)]


def _keep(store: DialogueStore, events: Sequence[DialogueEvent]) -> list[bool]:
    return [store.append(event.dialogue_id, [event.turn], once=event.event_id) for event in events]


router = APIRouter()
add_item_route(
    router,
    ItemRoute(
        "/v1/events", EventItem, EventResult, single_answer(EventResult, "What became of a single event."), examples_of("events")
    ),
    keep_events,
    tags=["conversation"],
    operation_id="keep_events",
    summary="What was said in a dialogue, for its history and for the behaviour monitor",
    description=inspect.getdoc(keep_events),
)
