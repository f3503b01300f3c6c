"""POST /model/parse"""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from grice.middleware.analysis import StageFailure, TurnAnalysis
from grice.middleware.dialogue_id import dialogue_id_of
from grice.middleware.parse_data import annotation, restored
from grice.middleware.service import examples
from grice.middleware.service.api_keys import REFUSED, is_known, key_of
from grice.middleware.service.engine import Engine, EngineOf
from grice.middleware.service.json_body import require_json
from grice.middleware.service.nlu_server import NluServer
from grice.middleware.service.openapi import answered
from grice.middleware.service.problems import Problem, Refused
from grice.middleware.service.schemas import TurnItem
from grice.models.dialogue import Turn, check_text
from grice.models.errors import GriceError, InputError, NluError

router = APIRouter(tags=["conversation"], dependencies=[Depends(require_json)])

NOT_CONFIGURED = Problem(
    501,
    "no-nlu-server",
    "No NLU server is set: start the service with --nlu-url URL (or GRICE_NLU_URL) of a plain Rasa NLU server.",
)

log = logging.getLogger(__name__)


def _encodable(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("should be valid Unicode (no lone surrogates)")
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
    responses=answered(examples.PARSE_ANSWER, 501, 502, 504),
)
async def parse(
    body: Annotated[ParseBody, Body(openapi_examples=examples.PARSE)], request: Request, engine: EngineOf
) -> dict[str, Any]:
    """Parse data of the text as it came, with what was found under `grice`.

    The turn is analysed after the kept history of its sender (`message_id`); the server at `nlu_url` parses what results; then
    the turn is kept. The bot's turns are known if Rasa's event broker posts them to `/v1/events`. If the analysis or the store
    fails, or the server fails on the rewritten text, it is asked for the text as it came. Texts that start with `/` pass untouched.
    Rasa makes an empty intent of any answer but 200.
    """
    _check_key(body, request, engine)
    if engine.nlu is None:
        raise Refused(NOT_CONFIGURED)
    if body.text.startswith("/") or not _is_text(body.text):
        return await engine.nlu.parse(body.text, body.message_id)
    dialogue_id = None if body.message_id is None else dialogue_id_of(body.message_id)
    analysis = await _analysis(engine, body.text, dialogue_id)
    parsed, analysis = await _parsed(engine, engine.nlu, analysis, body.message_id)
    event_id = uuid.uuid4().hex
    if dialogue_id is not None:
        failure = await engine.conversations.keep_once(dialogue_id, Turn("user", body.text), event_id)
        if failure is not None:
            engine.metrics.failure(failure)
            analysis = replace(analysis, failures=(*analysis.failures, failure))
    grice = {**annotation(analysis, engine.pipeline.settings), "event_id": event_id}
    return {**restored(parsed, analysis.original, analysis.text), "grice": grice}


def _check_key(body: ParseBody, request: Request, engine: Engine) -> None:
    keys = engine.settings.api_keys
    if keys and not is_known(body.token or "", keys) and not is_known(key_of(request.headers), keys):
        raise Refused(REFUSED)


def _is_text(text: str) -> bool:
    try:
        check_text(text)
    except InputError:
        return False
    return True


async def _analysis(engine: Engine, text: str, dialogue_id: str | None) -> TurnAnalysis:
    """What the pipeline makes of the text; where that fails, the text unchanged."""
    try:
        (found,) = await engine.find(engine.turns, [TurnItem(text=text, dialogue_id=dialogue_id)])
    except Exception as error:  # whatever it is, the turn is parsed
        kind = type(error).__name__
        log.warning("the analysis failed, the turn passes unchanged", extra={"error": kind})
        message = str(error) if isinstance(error, GriceError) else "the analysis failed"
        found_failure = StageFailure("directness", kind, message)
        engine.metrics.failure(found_failure)
        return TurnAnalysis(text, text, "pass", "failed", failures=(found_failure,))
    engine.metrics.turn(found.result)
    return replace(found.result, failures=(*found.result.failures, *found.failures))


async def _parsed(
    engine: Engine, nlu: NluServer, analysis: TurnAnalysis, message_id: str | None
) -> tuple[dict[str, Any], TurnAnalysis]:
    """Parse data, and the analysis with the text that was parsed.

    Raises:
        NluError: the server failed on the text as it came.
    """
    try:
        return await nlu.parse(analysis.text, message_id), analysis
    except NluError as error:
        failure = StageFailure("nlu", type(error).__name__, str(error))
        engine.metrics.failure(failure)
        if analysis.text == analysis.original:
            raise
    analysis = replace(analysis, text=analysis.original, decision="pass", reason="failed", failures=(*analysis.failures, failure))
    try:
        return await nlu.parse(analysis.original, message_id), analysis
    except NluError as error:
        engine.metrics.failure(StageFailure("nlu", type(error).__name__, str(error)))
        raise
