"""The application: routes around one engine."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from grice.middleware.alerts import AlertSettings
from grice.middleware.capabilities import CAPABILITIES, Capability
from grice.middleware.service.capabilities.route import Aside, Route, answer_of, examples_of, route_of
from grice.middleware.service.capabilities.wire import WireItem
from grice.middleware.service.engine import Engine
from grice.middleware.service.http import (
    alerting,
    classify,
    dialogues,
    docs,
    events,
    feedback,
    litellm,
    operations,
    page,
    parse,
    schemas,
    trends,
    watching,
)
from grice.middleware.service.http.arrivals import PARAMETER, Arrivals
from grice.middleware.service.http.body import Body
from grice.middleware.service.http.context import METHODS, RequestContext
from grice.middleware.service.http.hosts import Hosts
from grice.middleware.service.http.items import ItemRoute, add_item_route
from grice.middleware.service.http.keys import Access, Admission
from grice.middleware.service.http.openapi import describe
from grice.middleware.service.http.problems import Refused, problem_of
from grice.middleware.settings import ServiceSettings
from grice.middleware.stores import DialogueStore, open_store
from grice.middleware.telemetry.requests import SPANS_ONLY
from grice.models.errors import GriceError

TAGS = [
    {"name": "conversation", "description": "For a bot: the analysis of user turns, and the dialogues that are kept."},
    {"name": "schemas", "description": "What bots can understand, stored under names."},
    {"name": "monitor", "description": "The bot's responses: what they do, how often, and the last alarming ones."},
    {"name": "gateways", "description": "For gateways of language models, in their own forms."},
    {"name": "models", "description": "One model alone, with neither gate nor guard."},
    {"name": "operations", "description": "For those who run the service."},
]

ROUTERS = (
    *(
        each.router
        for each in (events, parse, watching, trends, alerting, feedback, dialogues, schemas, litellm, classify, operations)
    ),
    operations.health_router,
)
"""Routes beside those of the capabilities."""


def create_app(
    models: Mapping[str, Any],
    settings: ServiceSettings | None = None,
    store: DialogueStore | None = None,
    alerts: AlertSettings | None = None,
) -> FastAPI:
    """The REST service as an ASGI application.

    A server other than `grice.middleware.service.http.server` needs a limit on how long it waits for its streams when it stops
    (uvicorn: `timeout_graceful_shutdown`): only ours tells `/v1/live` that it stops.

    Args:
        models: the models of capabilities by their names, as `load_capabilities` gives them; a capability without one answers 501.
        settings: limits, batching, API keys.
        store: where dialogues are kept; default: the one that the settings name.
        alerts: how alerts on the rates are raised; None: none are.

    Raises:
        MissingExtra, SettingsError: the store of the settings, or the alerts, cannot be made, or the keys cannot be read.
        InputError: there is no capability of a name.
    """
    chosen = settings or ServiceSettings()
    engine = Engine(models, store or open_store(chosen), chosen, alerts)
    access = Access(chosen, engine.quotas)

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
        docs_url=None,  # ours, in `docs`, loads nothing from elsewhere
        redoc_url=None,
        dependencies=[] if access.is_open else [Security(HTTPBearer(auto_error=False))],
        telemetry=SPANS_ONLY,
    )
    app.state.engine, app.state.access = engine, access
    app.include_router(capability_routes())
    for router in ROUTERS:
        app.include_router(router)
    if not chosen.metrics_port:
        app.include_router(operations.metrics_router)
    app.include_router(docs.router)
    if chosen.page:
        app.include_router(page.router)
    for kind in (RequestValidationError, HTTPException, GriceError, Refused):
        app.add_exception_handler(kind, _tell)
    app.add_middleware(Body, max_bytes=chosen.max_body_bytes)
    app.add_middleware(Arrivals, engine=engine)
    app.add_middleware(Admission, access=access)
    app.add_middleware(Hosts, settings=chosen)
    app.add_middleware(RequestContext, metrics=engine.metrics)
    describe(app)
    return app


def create_probe_app(app: FastAPI) -> FastAPI:
    """Health and metrics of an application, for a port of their own. They need no key."""
    engine: Engine = app.state.engine
    probes = FastAPI(title="Grice", openapi_url=None, redirect_slashes=False)
    probes.state.engine = engine
    probes.include_router(operations.health_router)
    probes.include_router(operations.metrics_router)
    for kind in (HTTPException, GriceError, Refused):
        probes.add_exception_handler(kind, _tell)
    probes.add_middleware(Hosts, settings=replace(engine.settings, host=engine.settings.metrics_host, insecure=True))
    probes.add_middleware(RequestContext, metrics=engine.metrics)
    return probes


def capability_routes() -> APIRouter:
    """A route for each capability, loaded or not."""
    router = APIRouter()
    for capability in CAPABILITIES:
        _add_route(router, capability, route_of(capability))
    return router


def _add_route(router: APIRouter, capability: Capability[Any, Any], route: type[Route[Any, Any, Any]]) -> None:
    async def answer(engine: Engine, items: Sequence[WireItem], aside: Aside) -> list[dict[str, Any]]:
        return await engine.route(capability).answer(items, aside)

    own = {"requests": dict(capability.examples), "answer": dict(capability.example)}
    add_item_route(
        router,
        ItemRoute(
            capability.path,
            route.item,
            route.result,
            answer_of(route),
            own if capability.example else examples_of(capability.name),
            (501,) if capability.switch else (),
        ),
        answer,
        tags=[capability.tag],
        operation_id=capability.operation or capability.name,
        summary=capability.summary,
        description=capability.description or inspect.getdoc(route) or "",
        openapi_extra={"parameters": [PARAMETER]},
    )


async def _tell(request: Request, error: Exception) -> Response:
    response = problem_of(error).response(request.scope)
    if response.status_code == 405:  # the framework names the methods of the first route of this path only
        response.headers["allow"] = ", ".join(method for method in METHODS if _is_answered(request, method))
    return response


def _is_answered(request: Request, method: str) -> bool:
    scope = {**request.scope, "method": method}
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
