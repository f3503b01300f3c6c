"""POST /classify: classification as vLLM answers it, for what calls vLLM, such as NeMo Guardrails' `hf_classifier` rail."""

from __future__ import annotations

import time
import uuid
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from grice.middleware.access import Scope
from grice.middleware.capabilities.directness import DIRECTNESS
from grice.middleware.capabilities.responses import RESPONSES
from grice.middleware.service.capabilities.responses import ResponseItem
from grice.middleware.service.capabilities.route import examples_of
from grice.middleware.service.capabilities.wire import MAX_ITEMS, Text, WireItem
from grice.middleware.service.engine import Engine, WholeEngine
from grice.middleware.service.http.body import require_json
from grice.middleware.service.http.keys import Access, address_of, key_of
from grice.middleware.service.http.openapi import answered
from grice.middleware.service.http.problems import Problem, Refused
from grice.models.errors import InputError
from grice.models.results import BEHAVIORS

router = APIRouter(tags=["gateways"])
EXAMPLES = examples_of("classify")
PREFIX = "grice/"
MODELS = tuple(PREFIX + name for name in (DIRECTNESS.name, *BEHAVIORS))
"""What may be asked: how direct a user turn is, or whether a reply shows a behaviour."""


class ClassifyRequest(BaseModel):
    """What vLLM takes; fields beside these are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    model: Annotated[str, Field(description=f"One of {', '.join(MODELS)}.", json_schema_extra={"enum": list(MODELS)})]
    input: Annotated[
        Text | Annotated[list[Text], Field(min_length=1, max_length=MAX_ITEMS)],
        Field(description="A text, or up to 64; each alone."),
    ]


class ClassifiedText(BaseModel):
    """What one text is."""

    index: Annotated[int, Field(description="Its place in `input`.")]
    label: Annotated[str, Field(description="The likelier label.")]
    probs: Annotated[list[float], Field(description="How likely each label is: first `direct` or `absent`, then the other.")]
    num_classes: Annotated[int, Field(description="How many labels there are.")] = 2


class ClassifyUsage(BaseModel):
    """Tokens; they are not counted here."""

    prompt_tokens: Annotated[int, Field(description="0.")] = 0
    total_tokens: Annotated[int, Field(description="0.")] = 0
    completion_tokens: Annotated[int, Field(description="0.")] = 0


class ClassifyAnswer(BaseModel):
    """As vLLM answers."""

    id: Annotated[str, Field(description="A new name.")]
    object: Literal["list"] = "list"
    created: Annotated[int, Field(description="When, in Unix seconds.")]
    model: Annotated[str, Field(description="What was asked.")]
    data: Annotated[list[ClassifiedText], Field(description="One entry a text, in order.")]
    usage: Annotated[ClassifyUsage, Field(description="Tokens; they are not counted here.")]


@router.post(
    "/classify",
    operation_id="classify",
    summary="Classification in vLLM's form: directness, or one behaviour",
    dependencies=[Depends(require_json)],
    responses=answered(EXAMPLES["answer"], 501),
)
async def classify(
    body: Annotated[ClassifyRequest, Body(openapi_examples=EXAMPLES["requests"])], request: Request, whole: WholeEngine
) -> ClassifyAnswer:
    """Each text alone, without a history: behaviours that need one (`Ign`, `Red`, `!Par`, `!Rel`) see little. The labels of
    `grice/directness` are `direct` and `indirect`, those of a behaviour `absent` and its name.
    """
    if body.model not in MODELS:
        raise InputError("model", body.model, ", ".join(MODELS))
    name = body.model.removeprefix(PREFIX)
    needed: tuple[Scope, ...] = ("turns",) if name == DIRECTNESS.name else ("monitor",)
    access: Access = request.app.state.access
    request.state.caller = await access.admit([key_of(request.headers)], address_of(request.scope), needed)
    engine = whole.of(request.state.caller)
    texts = [body.input] if isinstance(body.input, str) else body.input
    labels = ("direct", "indirect") if name == DIRECTNESS.name else ("absent", name)
    shares = await (_indirectness(engine, texts) if name == DIRECTNESS.name else _behavior(engine, texts, name))
    data = [
        ClassifiedText(index=place, label=labels[share >= 0.5], probs=[round(1 - share, 6), round(share, 6)])
        for place, share in enumerate(shares)
    ]
    answer_id = f"classify-{uuid.uuid4().hex}"
    return ClassifyAnswer(id=answer_id, created=int(time.time()), model=body.model, data=data, usage=ClassifyUsage())


async def _indirectness(engine: Engine, texts: list[str]) -> list[float]:
    rows = await engine.route(DIRECTNESS).answer([WireItem(text=text) for text in texts], run_in_threadpool)
    return [1 - row["score"] for row in rows]


async def _behavior(engine: Engine, texts: list[str], label: str) -> list[float]:
    items = [ResponseItem(text=text, counted=False, judged=False) for text in texts]
    rows = await engine.route(RESPONSES).answer(items, run_in_threadpool)
    return [_share(row, label) for row in rows]


def _share(row: dict[str, Any], label: str) -> float:
    share = (row["probabilities"] or {}).get(label)
    if share is None:
        raise Refused(
            Problem(503, "not-scored", f"{label} was not scored: the model failed on a text.", headers={"retry-after": "1"})
        )
    return float(share)
