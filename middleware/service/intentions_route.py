"""POST /v1/intentions"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends

from grice.middleware.service import examples
from grice.middleware.service.answers import BatchAnswer, wire_failures
from grice.middleware.service.engine import EngineOf, Found
from grice.middleware.service.intention_wire import IntentionBody, IntentionsAnswer, IntentionsResult
from grice.middleware.service.json_body import require_json
from grice.middleware.service.openapi import answered
from grice.middleware.service.problems import Problem, Refused
from grice.middleware.service.schemas import items_of
from grice.models.results import PERSUASION_ROLES, Intentions

router = APIRouter(tags=["models"], dependencies=[Depends(require_json)])

NO_DETECTOR = Problem(
    501,
    "no-intentions",
    "No intention detector is loaded here: start the service without --no-intentions (and without GRICE_INTENTIONS=false).",
)


@router.post(
    "/v1/intentions",
    operation_id="detect_intentions",
    summary="What the turns of a persuasion do to the face of speaker and hearer",
    responses=answered(examples.INTENTIONS_ANSWER, 501),
)
async def detect_intentions(
    body: Annotated[IntentionBody, Body(openapi_examples=examples.INTENTIONS)], engine: EngineOf
) -> IntentionsAnswer | BatchAnswer[IntentionsResult]:
    """Finds the face act of each turn in the light of those before it, and how likely the persuadee agrees in the end.

    With `dialogue_id` the history is read from the kept dialogue; nothing is kept.
    """
    if engine.intentions is None:
        raise Refused(NO_DETECTOR)
    items, single = items_of(body)
    rows = []
    for found in await engine.find(engine.intentions, items):
        engine.metrics.history_cut(found.result.history_cut)
        rows.append(_row(found))
    return IntentionsAnswer(**vars(rows[0])) if single else BatchAnswer(items=rows)


def _row(found: Found[Intentions]) -> IntentionsResult:
    result = found.result
    return IntentionsResult(
        role=result.roles[-1],
        label=result.label,
        probabilities=dict(result.probabilities),
        roles=list(result.roles),
        labels=list(result.labels),
        agreement=list(result.agreement),
        counts={role: result.counts(role) for role in PERSUASION_ROLES},
        balance={role: result.balance(role) for role in PERSUASION_ROLES},
        history_read=result.history_read,
        history_cut=result.history_cut,
        text_cut=result.text_cut,
        failures=wire_failures(found.failures),
    )
