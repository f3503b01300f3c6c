"""POST /v1/turns"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends

from grice.middleware.service import examples
from grice.middleware.service.answers import (
    BatchAnswer,
    TurnAnswer,
    TurnResult,
    WireDirectness,
    WireFinding,
    WireRewrite,
    wire_failures,
)
from grice.middleware.service.engine import EngineOf, Found
from grice.middleware.service.json_body import require_json
from grice.middleware.service.openapi import answered
from grice.middleware.service.schemas import TurnBody, TurnItem, check_distinct, items_of
from grice.middleware.settings import Mode
from grice.middleware.turns.analysis import TurnAnalysis
from grice.middleware.turns.pipeline import appended

router = APIRouter(tags=["conversation"], dependencies=[Depends(require_json)])


@router.post(
    "/v1/turns",
    operation_id="analyse_turns",
    summary="The whole analysis of user turns",
    responses=answered(examples.TURN_ANSWER),
)
async def analyse_turns(
    body: Annotated[TurnBody, Body(openapi_examples=examples.TURNS)], engine: EngineOf
) -> TurnAnswer | BatchAnswer[TurnResult]:
    """Decides for each user turn: pass it on, rewrite it, or ask the user back. Give `text` of the answer to the NLU.

    With `dialogue_id` the service keeps the dialogue: send what the bot said since (`bot`) and the new turn (`text`). A model or a
    store that fails does not stop the conversation: the turn passes unchanged, or is analysed without history; `failures` says so.
    Turns are kept in the order in which calls finish, so send the turns of one dialogue one after the other.
    """
    items, single = items_of(body)
    check_distinct(items)
    found = await engine.analyse(items)
    rows = [_row(item, each) for item, each in zip(items, found, strict=True)]
    for each in found:
        if each.result.directness is not None:
            engine.metrics.history_cut(each.result.directness.history_cut)
    return TurnAnswer(**rows[0]) if single else BatchAnswer(items=[TurnResult(**row) for row in rows])


def _row(item: TurnItem, found: Found[TurnAnalysis]) -> dict[str, Any]:
    analysis = found.result
    return {
        "dialogue_id": item.dialogue_id,
        "original": analysis.original,
        "text": _text(analysis, item.mode),
        "decision": analysis.decision,
        "reason": analysis.reason,
        "directness": analysis.directness and WireDirectness(**vars(analysis.directness)),
        "rewrite": analysis.rewrite and WireRewrite(**vars(analysis.rewrite)),
        "findings": [WireFinding(**vars(finding)) for finding in analysis.findings],
        "failures": wire_failures((*analysis.failures, *found.failures)),
    }


def _text(analysis: TurnAnalysis, mode: Mode | None) -> str:
    if mode is None or analysis.decision != "rewrite" or analysis.rewrite is None:
        return analysis.text
    return analysis.rewrite.text if mode == "replace" else appended(analysis.original, analysis.rewrite.text)
