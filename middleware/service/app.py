"""The application: routes around one engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response

from grice.middleware.pipeline import Pipeline
from grice.middleware.service import (
    dialogues_route,
    directness_route,
    events_route,
    operations_route,
    parse_route,
    rewrite_route,
    turns_route,
)
from grice.middleware.service.api_keys import ApiKeys
from grice.middleware.service.body import Body
from grice.middleware.service.engine import Engine
from grice.middleware.service.metrics import Metrics
from grice.middleware.service.openapi import describe
from grice.middleware.service.problems import Refused, problem_of
from grice.middleware.service.request_context import RequestContext
from grice.middleware.settings import ServiceSettings
from grice.middleware.stores import DialogueStore, open_store
from grice.models.errors import GriceError
from grice.models.protocols import Model
from grice.models.results import Rewrite

TAGS = [
    {"name": "conversation", "description": "For a bot: the analysis of user turns, and the dialogues that are kept."},
    {"name": "models", "description": "One model alone, with neither gate nor guard."},
    {"name": "operations", "description": "For those who run the service."},
]


def create_app(
    pipeline: Pipeline, softener: Model[Rewrite], settings: ServiceSettings | None = None, store: DialogueStore | None = None
) -> FastAPI:
    """The REST service as an ASGI application.

    Args:
        pipeline: analyses user turns; its models also serve `/v1/directness` and `/v1/rewrite`.
        softener: rewrites into indirect form.
        settings: limits, batching, API keys.
        store: where dialogues are kept; default: the one that the settings name.

    Raises:
        MissingExtra, SettingsError: the store of the settings cannot be made.
    """
    chosen = settings or ServiceSettings()
    engine = Engine(pipeline, softener, store or open_store(chosen), chosen, Metrics())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        engine.start()
        yield
        await engine.close()

    app = FastAPI(
        title="Grice",
        version="1",
        summary="Says what was meant: directness of user turns, and their direct form.",
        openapi_tags=TAGS,
        lifespan=lifespan,
        redirect_slashes=False,
        dependencies=[Security(HTTPBearer(auto_error=False))] if chosen.api_keys else [],
    )
    app.state.engine = engine
    for module in (turns_route, events_route, parse_route, directness_route, rewrite_route, dialogues_route, operations_route):
        app.include_router(module.router)
    for kind in (RequestValidationError, HTTPException, GriceError, Refused):
        app.add_exception_handler(kind, _tell)
    app.add_middleware(Body, max_bytes=chosen.max_body_bytes)
    if chosen.api_keys:
        app.add_middleware(ApiKeys, keys=chosen.api_keys)
    app.add_middleware(RequestContext, metrics=engine.metrics)
    describe(app)
    return app


async def _tell(request: Request, error: Exception) -> Response:
    return problem_of(error).response(request.scope)
