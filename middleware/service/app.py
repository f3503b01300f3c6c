"""The application: routes around one engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response

from grice.middleware.alerts import AlertSettings
from grice.middleware.monitor import Monitor
from grice.middleware.service import (
    dialogues_route,
    directness_route,
    events_route,
    intentions_route,
    mind_route,
    operations_route,
    page_route,
    parse_route,
    responses_route,
    rewrite_route,
    slots_route,
    turns_route,
    watch_route,
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
from grice.middleware.telemetry.requests import SPANS_ONLY
from grice.middleware.turns.pipeline import Pipeline
from grice.models.errors import GriceError
from grice.models.protocols import MindPredictor, Model, SlotPredictor
from grice.models.results import Intentions, Rewrite

TAGS = [
    {"name": "conversation", "description": "For a bot: the analysis of user turns, and the dialogues that are kept."},
    {"name": "monitor", "description": "The bot's responses: what they do, how often, and the last alarming ones."},
    {"name": "models", "description": "One model alone, with neither gate nor guard."},
    {"name": "operations", "description": "For those who run the service."},
]


ROUTES = (
    turns_route,
    responses_route,
    events_route,
    parse_route,
    watch_route,
    directness_route,
    rewrite_route,
    slots_route,
    intentions_route,
    mind_route,
    dialogues_route,
    operations_route,
)


def create_app(
    pipeline: Pipeline,
    softener: Model[Rewrite],
    settings: ServiceSettings | None = None,
    store: DialogueStore | None = None,
    monitor: Monitor | None = None,
    alerts: AlertSettings | None = None,
    resolver: SlotPredictor | None = None,
    detector: Model[Intentions] | None = None,
    mind: MindPredictor | None = None,
) -> FastAPI:
    """The REST service as an ASGI application.

    A server other than `grice.middleware.service.server` needs a limit on how long it waits for its streams when it stops (uvicorn:
    `timeout_graceful_shutdown`): only ours tells `/v1/live` that it stops.

    Args:
        pipeline: analyses user turns; its models also serve `/v1/directness` and `/v1/rewrite`.
        softener: rewrites into indirect form.
        settings: limits, batching, API keys.
        store: where dialogues are kept; default: the one that the settings name.
        monitor: scores the bot's responses; None: `/v1/responses` answers 501. `settings.monitor` is for those who load it.
        alerts: how alerts on the rates are raised; None: none are.
        resolver: finds the values of slots; None: `/v1/slots` answers 501. `settings.slots` is for those who load it.
        detector: finds face acts, the bot the persuader; None: `/v1/intentions` answers 501. `settings.intentions` is for those who
            load it.
        mind: reads recommendation dialogues; None: `/v1/mind` answers 501. `settings.mind` is for those who load it.

    Raises:
        MissingExtra, SettingsError: the store of the settings, or the alerts, cannot be made.
    """
    chosen = settings or ServiceSettings()
    engine = Engine(pipeline, softener, monitor, store or open_store(chosen), chosen, Metrics(), alerts, resolver, detector, mind)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        engine.start()
        yield
        await engine.close()

    app = FastAPI(
        title="Grice",
        version="1",
        summary="Says what was meant: directness of user turns, and their direct form; and watches the bot's responses.",
        openapi_tags=TAGS,
        lifespan=lifespan,
        redirect_slashes=False,
        dependencies=[Security(HTTPBearer(auto_error=False))] if chosen.api_keys else [],
        telemetry=SPANS_ONLY,
    )
    app.state.engine = engine
    for module in ROUTES:
        app.include_router(module.router)
    if chosen.page:
        app.include_router(page_route.router)
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
