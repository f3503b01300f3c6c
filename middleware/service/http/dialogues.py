"""GET and DELETE /v1/dialogues/{dialogue_id}"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from grice.middleware.service.capabilities.wire import DialogueId, SchemaVersion, Wire, WireTurn
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.http.openapi import problems
from grice.middleware.service.http.problems import Problem, Refused

router = APIRouter(tags=["conversation"])

NameInPath = Annotated[DialogueId, Path(description="The caller's name for the dialogue.")]


class KeptDialogue(Wire):
    """A dialogue as it is kept."""

    dialogue_id: Annotated[str, Field(description="Its name.")]
    turns: Annotated[list[WireTurn], Field(description="The turns that are kept, oldest first.")]
    schema_version: SchemaVersion = 1


UNKNOWN = Problem(404, "unknown-dialogue", "There is no such dialogue: it was never kept, was deleted, or has expired.")


@router.get(
    "/v1/dialogues/{dialogue_id}",
    operation_id="read_dialogue",
    summary="The turns kept of a dialogue",
    responses=problems(404, 422, 503),
)
async def read_dialogue(dialogue_id: NameInPath, engine: EngineOf) -> KeptDialogue:
    """The turns as they came, without rewrites."""
    turns = await run_in_threadpool(engine.store.read, dialogue_id)
    if not turns:
        raise Refused(UNKNOWN)
    return KeptDialogue(dialogue_id=dialogue_id, turns=[WireTurn(speaker=turn.speaker, text=turn.text) for turn in turns])


@router.delete(
    "/v1/dialogues/{dialogue_id}",
    operation_id="delete_dialogue",
    summary="Forget a dialogue",
    status_code=204,
    responses=problems(404, 422, 503),
)
async def delete_dialogue(dialogue_id: NameInPath, engine: EngineOf) -> Response:
    """Forgets all turns of a dialogue at once."""
    if not await run_in_threadpool(engine.store.delete, dialogue_id):
        raise Refused(UNKNOWN)
    return Response(status_code=204)
