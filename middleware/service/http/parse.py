"""POST /model/parse"""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from grice.middleware.capabilities.turns import TURNS
from grice.middleware.service.capabilities.route import examples_of
from grice.middleware.service.capabilities.turns import TurnItem
from grice.middleware.service.engine import Engine, WholeEngine
from grice.middleware.service.http.body import require_json
from grice.middleware.service.http.keys import Access, address_of, key_of
from grice.middleware.service.http.openapi import answered
from grice.middleware.service.http.problems import Problem, Refused
from grice.middleware.service.nlu_server import NluServer
from grice.middleware.stores.dialogue_id import dialogue_id_of
from grice.middleware.turns.analysis import StageFailure, TurnAnalysis
from grice.middleware.turns.blending import blended, weight_of
from grice.middleware.turns.parse_data import annotation, restored, text_read
from grice.models.dialogue import Turn, check_text
from grice.models.errors import GriceError, InputError, NluError

router = APIRouter(tags=["conversation"], dependencies=[Depends(require_json)])
EXAMPLES = examples_of("parse")

NOT_CONFIGURED = Problem(
    501,
    "no-nlu-server",
    "No NLU server is set: start the service with --nlu-url URL (or GRICE_NLU_URL) of a plain Rasa NLU server.",
)

log = logging.getLogger(__name__)


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("should be valid Unicode (no lone surrogates)") from None
    return text


Encodable = Annotated[str, AfterValidator(_encodable)]


class ParseBody(BaseModel):
    """What Rasa 3.6 posts to its `nlu:` endpoint. Other fields are left alone: the shape is Rasa's."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    text: Annotated[Encodable, Field(description="What the user said.")]
    message_id: Annotated[Encodable | None, Field(description="Rasa sends the sender's id here; it names the dialogue.")] = None
    token: Annotated[str | None, Field(description="The token of Rasa's `nlu:` endpoint: an API key of this service.")] = None


@router.post(
    "/model/parse",
    operation_id="parse",
    summary="Rasa's `nlu:` endpoint: a turn rewritten, then parsed by a plain Rasa NLU server",
    responses=answered(EXAMPLES["answer"], 501, 502, 504),
)
async def parse(
    body: Annotated[ParseBody, Body(openapi_examples=EXAMPLES["requests"])], request: Request, whole: WholeEngine
) -> dict[str, Any]:
    """Parse data of the text as it came, with what was found under `grice`.

    The turn is analysed after the kept history of its sender (`message_id`); the server at `nlu_url` parses what results (in
    mode `blend` the turn and its rewrite at the same time); then the turn is kept. The bot's turns are known if Rasa's event
    broker posts them to `/v1/events`. If the analysis or the store fails, or the server fails on the rewritten text, the text as it
    came is what counts. Texts that start with `/` pass untouched. Rasa makes an empty intent of any answer but 200.
    """
    access: Access = request.app.state.access
    given = (key_of(request.headers), body.token or "")
    request.state.caller = await access.admit(given, address_of(request.scope), ("turns",))
    engine = whole.of(request.state.caller)
    if engine.nlu is None:
        raise Refused(NOT_CONFIGURED)
    if body.text.startswith("/") or not _is_text(body.text):
        return await engine.nlu.parse(body.text, body.message_id)
    dialogue_id = None if body.message_id is None else dialogue_id_of(body.message_id)
    analysis = await _analysis(engine, body.text, dialogue_id)
    parsed, analysis = await _parsed(engine, engine.nlu, analysis, body.message_id)
    event_id = uuid.uuid4().hex
    if dialogue_id is not None:
        (failure,) = await engine.conversations.keep([dialogue_id], [[Turn("user", body.text)]], [event_id])
        if failure is not None:
            engine.metrics.failure(failure)
            analysis = replace(analysis, failures=(*analysis.failures, failure))
    return {**parsed, "grice": {**annotation(analysis, engine.settings.nlu_mode), "event_id": event_id}}


def _is_text(text: str) -> bool:
    try:
        check_text(text)
    except InputError:
        return False
    return True


async def _analysis(engine: Engine, text: str, dialogue_id: str | None) -> TurnAnalysis:
    """What the pipeline makes of the text; where that fails, the text unchanged."""
    try:
        (found,) = await engine.route(TURNS).find([TurnItem(text=text, dialogue_id=dialogue_id)], run_in_threadpool)
    except Exception as error:  # noqa: BLE001 - whatever it is, the turn is parsed
        kind = type(error).__name__
        log.warning("the analysis failed, the turn passes unchanged", extra={"error": kind})
        message = str(error) if isinstance(error, GriceError) else "the analysis failed"
        found_failure = StageFailure("directness", kind, message)
        engine.metrics.failure(found_failure)
        return TurnAnalysis(text, text, "pass", "failed", failures=(found_failure,))
    engine.route(TURNS).count([found])
    analysis: TurnAnalysis = found.result
    return replace(analysis, failures=(*analysis.failures, *found.failures))


async def _parsed(
    engine: Engine, nlu: NluServer, analysis: TurnAnalysis, message_id: str | None
) -> tuple[dict[str, Any], TurnAnalysis]:
    """Parse data of the text as it came, and the analysis: a pass where the NLU server failed on the rewritten text.

    Raises:
        NluError: the server failed on the text as it came.
    """
    mode, original = engine.settings.nlu_mode, analysis.original
    text = text_read(analysis, mode)
    if text == original:
        return await _asked(engine, nlu, original, message_id), analysis
    if mode == "blend":
        own, other = await asyncio.gather(_asked(engine, nlu, original, message_id), _asked_or_error(engine, nlu, text, message_id))
        if isinstance(other, NluError):
            return own, _unread(analysis, other)
        own = {**own, "text": original}
        return {**own, **blended(own, {**other, "text": text}, weight_of(analysis))}, analysis
    try:
        return restored(await _asked(engine, nlu, text, message_id), original, text), analysis
    except NluError as error:
        return await _asked(engine, nlu, original, message_id), _unread(analysis, error)


async def _asked(engine: Engine, nlu: NluServer, text: str, message_id: str | None) -> dict[str, Any]:
    """The NLU server's parse data; a failure is counted.

    Raises:
        NluError: the server failed.
    """
    try:
        return await nlu.parse(text, message_id)
    except NluError as error:
        engine.metrics.failure(_failure(error))
        raise


async def _asked_or_error(engine: Engine, nlu: NluServer, text: str, message_id: str | None) -> dict[str, Any] | NluError:
    try:
        return await _asked(engine, nlu, text, message_id)
    except NluError as error:
        return error


def _unread(analysis: TurnAnalysis, error: NluError) -> TurnAnalysis:
    """The analysis of a turn whose rewrite the NLU server did not read."""
    failures = (*analysis.failures, _failure(error))
    return replace(analysis, text=analysis.original, decision="pass", reason="failed", failures=failures)


def _failure(error: NluError) -> StageFailure:
    return StageFailure("nlu", type(error).__name__, str(error))
