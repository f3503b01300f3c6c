"""GET /health/live, /health/ready, /metrics and /v1/models"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import Field

from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.service.capabilities.wire import SchemaVersion, Wire
from grice.middleware.service.engine import Engine, EngineOf, WholeEngine
from grice.middleware.service.http.openapi import problems
from grice.middleware.service.readiness import ReadinessStatus
from grice.models.manifest import Manifest

router = APIRouter(tags=["operations"], responses=problems())
health_router = APIRouter(tags=["operations"], responses=problems())
metrics_router = APIRouter(tags=["operations"], responses=problems())
"""These two may have a port of their own."""


def _name_roles(schema: dict[str, Any]) -> None:
    schema["enum"] = [role for capability in CAPABILITIES for role in capability.roles]


class WireModel(Wire):
    """A loaded model."""

    role: Annotated[str, Field(description="What it does here.", json_schema_extra=_name_roles)]
    name: Annotated[str, Field(description="Its name.")]
    version: Annotated[str, Field(description="Its version.")]
    provider: Annotated[str, Field(description="The execution provider that was chosen.")]
    sha256: Annotated[dict[str, str], Field(description="Checksums of its files.")]


class Models(Wire):
    """The loaded models."""

    models: Annotated[list[WireModel], Field(description="One entry a role.")]
    schema_version: SchemaVersion = 1


class Live(Wire):
    """The process answers."""

    status: Literal["live"] = "live"


class StoreState(Wire):
    """The dialogue store."""

    kind: Annotated[str, Field(description="`memory` or `redis`.")]
    reachable: Annotated[
        bool, Field(description="Whether it can be read and written. False: dialogues are analysed without their history.")
    ]


class Ready(Wire):
    """Whether the service can be used."""

    status: Annotated[
        ReadinessStatus,
        Field(
            description="`degraded`: usable, but the dialogue store cannot be read or written, or a server of events cannot be "
            "written. `busy`: something has waited too long for a model. `draining`: the service stops."
        ),
    ]
    store: StoreState
    events_reachable: Annotated[
        bool | None,
        Field(
            description="Whether each Redis of the stream of events, and of workers' counters, can be written; null: none is set."
        ),
    ]
    queue_age_s: Annotated[float, Field(description="For how long the item that waits longest for a model has waited.")]
    providers: Annotated[dict[str, str], Field(description="The execution provider chosen for each model.")]


@health_router.get("/health/live", operation_id="live", summary="Whether the process answers")
async def live() -> Live:
    """For a liveness probe."""
    return Live()


@health_router.get(
    "/health/ready",
    operation_id="ready",
    summary="Whether the service can be used",
    responses={503: {"model": Ready, "description": "It is busy or stops: send requests elsewhere."}},
)
async def ready(engine: WholeEngine, response: Response) -> Ready:
    """For a readiness probe. Models are loaded before the service listens; without its store it is usable, but degraded."""
    found = await engine.readiness.look()
    if not found.is_ready:
        response.status_code = 503
    return Ready(
        status=found.status,
        store=StoreState(kind=engine.settings.store, reachable=found.writable),
        events_reachable=found.events_writable,
        queue_age_s=round(found.queue_age_s, 3),
        providers={model.role: model.provider for model in _loaded(engine)},
    )


@metrics_router.get("/metrics", operation_id="metrics", summary="Metrics for Prometheus", response_class=Response)
async def metrics(engine: WholeEngine) -> Response:
    """Counts and latencies; no text and no names of dialogues."""
    return Response(await engine.metrics.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/v1/models", operation_id="list_models", summary="Which models are loaded")
async def list_models(engine: EngineOf) -> Models:
    """Names, versions and checksums, as their manifests say."""
    return Models(models=_loaded(engine))


def _loaded(engine: Engine) -> list[WireModel]:
    return [_entry(role, model) for role, model in engine.models().items()]


def _entry(role: str, model: object) -> WireModel:
    """What a model says of itself; one of another make, with no manifest, goes by its class name."""
    manifest = getattr(model, "manifest", None)
    provider = str(getattr(model, "provider", "unknown"))
    if not isinstance(manifest, Manifest):
        return WireModel(role=role, name=type(model).__name__, version="unknown", provider=provider, sha256={})
    sums = {name: str(entry["sha256"]) for name, entry in manifest.files.items()}
    return WireModel(role=role, name=manifest.name, version=manifest.version, provider=provider, sha256=sums)
