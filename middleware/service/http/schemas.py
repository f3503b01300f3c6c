"""GET and POST /v1/schemas, and PUT, GET and DELETE /v1/schemas/{schema_id}"""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from grice.middleware.schemas.formats import schema_of_text
from grice.middleware.service.capabilities.menu import SchemaId, WireSchema, stored_menu_work, text_menu_work, unknown_schema
from grice.middleware.service.capabilities.route import examples_of
from grice.middleware.service.capabilities.wire import SchemaVersion, Wire
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.http.arrivals import PARAMETER
from grice.middleware.service.http.body import require_json
from grice.middleware.service.http.openapi import problems
from grice.middleware.service.http.problems import Refused
from grice.models.schema import BotSchema

router = APIRouter(tags=["schemas"])

EXAMPLES = examples_of("schemas")
MENU_EXAMPLES = examples_of("menus")["requests"]
SchemaInPath = Annotated[SchemaId, Path(description="The caller's name for the schema.")]


class StoredSchema(Wire):
    """A schema that is stored."""

    schema_id: Annotated[str, Field(description="Its name.")]
    fingerprint: Annotated[str, Field(description="The same for equal schemas, whatever the order of their parts.")]


class MenuText(Wire):
    """The content of a file that says what a bot can understand."""

    text: Annotated[str, Field(min_length=1, description="YAML or JSON: a Rasa domain or training data, tools, an SGD schema.")]


class StoredSchemaAnswer(StoredSchema):
    """What was stored."""

    schema_version: SchemaVersion = 1


class StoredSchemas(Wire):
    """All schemas that are stored."""

    schemas: Annotated[list[StoredSchema], Field(description="In alphabetical order.")]
    schema_version: SchemaVersion = 1


def _documented(example: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {"application/json": {"example": example}}}}


@router.get("/v1/schemas", operation_id="list_schemas", summary="Which schemas are stored", responses=problems(503))
async def list_schemas(engine: EngineOf) -> StoredSchemas:
    """Names and fingerprints."""
    found = await run_in_threadpool(engine.schemas.fingerprints)
    return StoredSchemas(schemas=[StoredSchema(schema_id=name, fingerprint=each) for name, each in found.items()])


@router.post(
    "/v1/schemas",
    operation_id="read_menu",
    summary="Read what a bot can understand from its own files",
    response_model=WireSchema,
    dependencies=[Depends(require_json)],
    responses={**_documented(EXAMPLES["requests"]["kayaks"]["value"]), **problems(413, 415, 422, 503)},
    openapi_extra={"parameters": [PARAMETER]},
)
async def read_menu(body: Annotated[MenuText, Body(openapi_examples=MENU_EXAMPLES)], engine: EngineOf) -> Response:
    """The schema that a `domain.yml`, a list of tools, an SGD schema or a schema of ours says. Nothing is stored.

    The answer is what `PUT` takes. YAML is read up to 262,144 characters, without merge keys (`<<`). `grice schema show` does the
    same for files and folders of any size.
    """
    content = await engine.read_menu(text_menu_work(body.text), _menu, body.text)
    return Response(content, media_type="application/json")


@router.put(
    "/v1/schemas/{schema_id}",
    operation_id="put_schema",
    summary="Store what a bot can understand",
    dependencies=[Depends(require_json)],
    responses={**_documented(EXAMPLES["answer"]), **problems(409, 413, 415, 422, 503)},
    openapi_extra={"parameters": [PARAMETER]},
)
async def put_schema(
    schema_id: SchemaInPath, body: Annotated[WireSchema, Body(openapi_examples=EXAMPLES["requests"])], engine: EngineOf
) -> StoredSchemaAnswer:
    """Stores a schema until it is deleted, in place of the one of that name if there is one; with `--store redis` for all services.

    `grice schema show` prints this body for a Rasa bot, an SGD schema or the tools of an agent.
    """
    schema, fingerprint = await engine.read_menu(body.work, _known, body)
    await run_in_threadpool(engine.schemas.put, schema_id, schema)
    return StoredSchemaAnswer(schema_id=schema_id, fingerprint=fingerprint)


@router.get(
    "/v1/schemas/{schema_id}",
    operation_id="read_schema",
    summary="A stored schema",
    response_model=WireSchema,
    responses={**_documented(EXAMPLES["requests"]["kayaks"]["value"]), **problems(404, 422, 503)},
)
async def read_schema(schema_id: SchemaInPath, engine: EngineOf) -> Response:
    """The schema, as `PUT` takes it; the header `ETag` is its fingerprint."""
    schema = await run_in_threadpool(engine.schemas.read, schema_id)
    if schema is None:
        raise Refused(unknown_schema(schema_id, 404))
    content, fingerprint = await engine.read_menu(stored_menu_work(schema), _written, schema, free=True)
    return Response(content, media_type="application/json", headers={"etag": f'"{fingerprint}"'})


@router.delete(
    "/v1/schemas/{schema_id}",
    operation_id="delete_schema",
    summary="Forget a schema",
    status_code=204,
    responses=problems(404, 422, 503),
)
async def delete_schema(schema_id: SchemaInPath, engine: EngineOf) -> Response:
    """Requests that name it are refused from then on."""
    if not await run_in_threadpool(engine.schemas.delete, schema_id):
        raise Refused(unknown_schema(schema_id, 404))
    return Response(status_code=204)


def _menu(text: str) -> bytes:
    return json.dumps(schema_of_text(text, "text").as_dict(), ensure_ascii=False).encode()


def _known(body: WireSchema) -> tuple[BotSchema, str]:
    schema = body.schema_of()
    return schema, schema.fingerprint


def _written(schema: BotSchema) -> tuple[bytes, str]:
    return json.dumps(schema.as_dict(), ensure_ascii=False).encode(), schema.fingerprint
