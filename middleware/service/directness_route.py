"""POST /v1/directness"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends

from grice.middleware.service import examples
from grice.middleware.service.answers import BatchAnswer, DirectnessAnswer, DirectnessResult, wire_failures
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.json_body import require_json
from grice.middleware.service.openapi import answered
from grice.middleware.service.schemas import DirectnessBody, items_of

router = APIRouter(tags=["models"], dependencies=[Depends(require_json)])


@router.post(
    "/v1/directness",
    operation_id="score_directness",
    summary="How plainly user turns say what is wanted",
    responses=answered(examples.DIRECTNESS_ANSWER),
)
async def score_directness(
    body: Annotated[DirectnessBody, Body(openapi_examples=examples.DIRECTNESS)], engine: EngineOf
) -> DirectnessAnswer | BatchAnswer[DirectnessResult]:
    """Scores each turn, 0 (indirect) to 1 (direct), in the light of its history. Nothing is kept."""
    items, single = items_of(body)
    rows = []
    for found in await engine.find(engine.directness, items):
        engine.metrics.history_cut(found.result.history_cut)
        rows.append({**vars(found.result), "failures": wire_failures(found.failures)})
    return DirectnessAnswer(**rows[0]) if single else BatchAnswer(items=[DirectnessResult(**row) for row in rows])
