"""POST /v1/slots"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends

from grice.middleware.service import examples
from grice.middleware.service.answers import BatchAnswer, wire_failures
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.json_body import require_json
from grice.middleware.service.openapi import answered
from grice.middleware.service.problems import Problem, Refused
from grice.middleware.service.schemas import items_of
from grice.middleware.service.slot_answers import SlotsAnswer, SlotsResult, WireSlotValues
from grice.middleware.service.slot_batches import Reports
from grice.middleware.service.slot_items import SlotBody, SlotItem, WireSlot
from grice.models.results import SlotValues

router = APIRouter(tags=["models"], dependencies=[Depends(require_json)])

NO_RESOLVER = Problem(501, "no-slots", "No slot resolver is loaded here: start the service without --no-slots.")


@router.post(
    "/v1/slots",
    operation_id="resolve_slots",
    summary="Which values of slots user turns mean",
    responses=answered(examples.SLOTS_ANSWER, 501),
)
async def resolve_slots(
    body: Annotated[SlotBody, Body(openapi_examples=examples.SLOTS)], engine: EngineOf
) -> SlotsAnswer | BatchAnswer[SlotsResult]:
    """Finds for each slot the value that the turn means, though it may not say it, in the light of what the bot asked before.

    With `dialogue_id` the history is read from the kept dialogue; nothing is kept: ask before `/v1/turns` keeps the turn, and give
    `bot` here as there. A slot on which the resolver fails is told in `failures`; the others are answered.
    """
    if engine.slots is None:
        raise Refused(NO_RESOLVER)
    items, single = items_of(body)
    rows: list[dict[str, Any]] = []
    for item, found in zip(items, await engine.resolve(engine.slots, items), strict=True):
        failures = [failure for report in found.result for failure in report.failures]
        for failure in failures:
            engine.metrics.failure(failure)
        rows.append({"slots": _values(item, found.result), "failures": wire_failures((*failures, *found.failures))})
    return SlotsAnswer(**rows[0]) if single else BatchAnswer(items=[SlotsResult(**row) for row in rows])


def _values(item: SlotItem, reports: Reports) -> list[WireSlotValues]:
    return [_one(slot, report.found) for slot, report in zip(item.slots, reports, strict=True)]


def _one(slot: WireSlot, found: SlotValues | None) -> WireSlotValues:
    if found is None:
        return WireSlotValues(name=slot.name, value=None, ambiguous=None, not_mentioned=None, probabilities=None)
    return WireSlotValues(
        name=slot.name,
        value=found.value,
        ambiguous=found.ambiguous,
        not_mentioned=found.not_mentioned,
        probabilities=dict(zip(slot.values, found.probabilities, strict=True)),
    )
