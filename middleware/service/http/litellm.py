"""POST /beta/litellm_basic_guardrail_api: the generic guardrail of the LiteLLM proxy."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from grice.middleware.access import Scope
from grice.middleware.events.event import MAX_NAME
from grice.middleware.gateways.calls import is_first, recall_call, remember_call
from grice.middleware.gateways.check import CheckedCall, GatewayPolicy, check
from grice.middleware.gateways.rows import LONGEST, Row, turns_of
from grice.middleware.service.capabilities.menu import SchemaId
from grice.middleware.service.capabilities.route import examples_of
from grice.middleware.service.capabilities.wire import WireShare
from grice.middleware.service.engine import Engine, WholeEngine
from grice.middleware.service.http.body import require_json
from grice.middleware.service.http.keys import Access, address_of, key_of
from grice.middleware.service.http.openapi import answered
from grice.middleware.service.http.problems import Refused
from grice.middleware.settings import Mode
from grice.models.errors import StoreError
from grice.models.results import Behavior

router = APIRouter(tags=["gateways"])
EXAMPLES = examples_of("litellm")
PATH = "/beta/litellm_basic_guardrail_api"
CHANNEL = "litellm"
NEEDED: Mapping[str, tuple[Scope, ...]] = {"request": ("turns",), "response": ("monitor",)}

log = logging.getLogger(__name__)


class GuardrailParams(BaseModel):
    """What the operator of the gateway sets, as `additional_provider_specific_params`; what is not known is not read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    mode: Annotated[Mode, Field(description="What a rewritten turn becomes: the rewrite alone, or after the original.")] = "append"
    longest: Annotated[int, Field(ge=1, le=LONGEST, description="Characters of a turn that may be rewritten.")] = LONGEST
    schema_id: Annotated[
        SchemaId | None, Field(description="The name of a stored schema, as in `PUT /v1/schemas/{schema_id}`: the bot's menu.")
    ] = None
    block: Annotated[
        dict[Behavior, WireShare] | None, Field(description="From which probability of a behaviour on a reply is blocked.")
    ] = None


class GuardrailRequest(BaseModel):
    """What LiteLLM sends; fields beside these are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    input_type: Annotated[Literal["request", "response"], Field(description="Before the model is called, or after it.")]
    litellm_call_id: Annotated[str | None, Field(description="The same for request and response of one call.")] = None
    litellm_trace_id: Annotated[
        str | None, Field(description="What calls of one conversation have in common: the dialogue's name in alarms and sinks.")
    ] = None
    texts: Annotated[list[str] | None, Field(description="Texts of the messages, or the replies.")] = None
    structured_messages: Annotated[
        list[dict[str, Any]] | None, Field(description="The messages, as the API of language models has them; with requests only.")
    ] = None
    model: Annotated[str | None, Field(description="The language model; rates tell models apart by it.")] = None
    additional_provider_specific_params: Annotated[
        GuardrailParams | None, Field(description="What the operator sets for this guardrail.")
    ] = None


class GuardrailAnswer(BaseModel):
    """What LiteLLM acts on. `texts` and `structured_messages` are there only where something is said anew."""

    action: Annotated[Literal["NONE", "BLOCKED", "GUARDRAIL_INTERVENED"], Field(description="What to do.")]
    blocked_reason: Annotated[str | None, Field(description="Why the reply is blocked.")] = None
    texts: Annotated[list[str] | None, Field(description="One for one those that were sent.")] = None
    structured_messages: Annotated[list[dict[str, Any]] | None, Field(description="Row for row those that were sent.")] = None


NOTHING = GuardrailAnswer(action="NONE")


@router.post(
    PATH,
    operation_id="guard_litellm",
    summary="LiteLLM's generic guardrail: user turns said anew, replies scored",
    dependencies=[Depends(require_json)],
    response_model_exclude_none=True,
    responses=answered(EXAMPLES["answer"]),
)
async def guard(
    body: Annotated[GuardrailRequest, Body(openapi_examples=EXAMPLES["requests"])], request: Request, whole: WholeEngine
) -> GuardrailAnswer:
    """Before a call the user's last turn is rewritten where the pipeline decides so, and the conversation is kept under the id of
    the call; after it the replies are scored in its light, and count in rates and alarms once, with the channel `litellm`. A reply
    is blocked only where `block` names a behaviour. Whatever fails here, the answer is `NONE`: the call goes on.

    The key comes as LiteLLM sends it, in `x-api-key`, or as a bearer token.
    """
    access: Access = request.app.state.access
    given = (request.headers.get("x-api-key", ""), key_of(request.headers))
    request.state.caller = await access.admit(given, address_of(request.scope), NEEDED[body.input_type])
    engine = whole.of(request.state.caller)
    try:
        return await (_before(engine, body) if body.input_type == "request" else _after(engine, body))
    except Refused as error:  # such as a menu that is not stored
        log.warning("the guardrail could not answer, the call goes on: %s", error)
        return NOTHING
    except Exception as error:  # noqa: BLE001 - whatever it is, the caller's own call goes on
        log.warning("the guardrail failed, the call goes on", extra={"error": type(error).__name__})
        return NOTHING


async def _before(engine: Engine, body: GuardrailRequest) -> GuardrailAnswer:
    rows: Sequence[Row] = body.structured_messages or [{"role": "user", "content": text} for text in (body.texts or [])[-1:]]
    try:  # first: where the turn cannot be checked, the reply is scored in the light of its conversation all the same
        await remember_call(engine, body.litellm_call_id or "", turns_of(rows))
    except StoreError as error:
        log.warning("a conversation cannot be kept, its reply is scored alone", extra={"error": type(error).__name__})
    found = await check(engine, rows, None, _policy(body))
    if found.action != "rewritten":
        return NOTHING
    texts = _said_anew(body.texts, rows[-1], found)
    structured = [dict(row) for row in found.messages] if body.structured_messages else None
    return GuardrailAnswer(action="GUARDRAIL_INTERVENED", texts=texts, structured_messages=structured)


async def _after(engine: Engine, body: GuardrailRequest) -> GuardrailAnswer:
    call_id = body.litellm_call_id or ""
    known = body.structured_messages or [
        {"role": "user" if turn.speaker == "user" else "assistant", "content": turn.text}
        for turn in await recall_call(engine, call_id)
    ]
    for place, text in enumerate(body.texts or ()):
        name = f"{call_id}.{place}" if call_id and place else call_id
        policy = _policy(body, counted=await is_first(engine, call_id, f"reply-{place}"), event_id=name)
        found = await check(engine, known, text, policy)
        if found.action == "blocked":
            return GuardrailAnswer(action="BLOCKED", blocked_reason=found.reason)
    return NOTHING


def _policy(body: GuardrailRequest, counted: bool = True, event_id: str = "") -> GatewayPolicy:
    params = body.additional_provider_specific_params or GuardrailParams()
    version = (body.model or "")[:MAX_NAME] or None
    return GatewayPolicy(
        params.mode,
        params.longest,
        params.block or {},
        counted,
        CHANNEL,
        version,
        menu=params.schema_id,
        event_id=event_id,
        session=body.litellm_trace_id or "",
    )


def _said_anew(texts: Sequence[str] | None, row: Row, found: CheckedCall) -> list[str] | None:
    """The texts with that of the last row as it is said now; None where it is not among them."""
    old, new = _texts(row), _texts(found.messages[-1])
    if not texts or not old or list(texts[-len(old) :]) != old:
        return None
    return [*texts[: -len(old)], *new]


def _texts(row: Row) -> list[str]:
    """The texts of a row, as LiteLLM takes them out of it."""
    content = row["content"]
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
