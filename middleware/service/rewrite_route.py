"""POST /v1/rewrite"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Body, Depends

from grice.middleware.service import examples
from grice.middleware.service.answers import BatchAnswer, RewriteAnswer, RewriteResult, wire_failures
from grice.middleware.service.engine import Engine, EngineOf, Found
from grice.middleware.service.json_body import require_json
from grice.middleware.service.openapi import answered
from grice.middleware.service.schemas import RewriteBody, RewriteItem, items_of
from grice.models.dialogue import Speaker
from grice.models.results import Rewrite
from grice.models.text.template import TargetForm

_SPEAKERS: dict[TargetForm, Speaker] = {"direct": "user", "indirect": "bot"}
"""Whose turn a bare `text` is, by the form that is wanted."""

router = APIRouter(tags=["models"], dependencies=[Depends(require_json)])


@router.post(
    "/v1/rewrite",
    operation_id="rewrite",
    summary="Turns in direct form, or in indirect form",
    responses=answered(examples.REWRITE_ANSWER),
)
async def rewrite(
    body: Annotated[RewriteBody, Body(openapi_examples=examples.REWRITE)], engine: EngineOf
) -> RewriteAnswer | BatchAnswer[RewriteResult]:
    """Rewrites every turn, with neither gate nor guard: `/v1/turns` has both. Nothing is kept."""
    items, single = items_of(body)
    rows = []
    for found in await _rewritten(engine, items):
        engine.metrics.history_cut(found.result.history_cut)
        rows.append({**vars(found.result), "failures": wire_failures(found.failures)})
    return RewriteAnswer(**rows[0]) if single else BatchAnswer(items=[RewriteResult(**row) for row in rows])


async def _rewritten(engine: Engine, items: Sequence[RewriteItem]) -> list[Found[Rewrite]]:
    found: dict[int, Found[Rewrite]] = {}
    for form, speaker in _SPEAKERS.items():
        places = [place for place, item in enumerate(items) if item.form == form]
        if places:
            found.update(
                zip(places, await engine.find(engine.rewriters[form], [items[place] for place in places], speaker), strict=True)
            )
    return [found[place] for place in range(len(items))]
