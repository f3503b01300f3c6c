"""GET /health/live, /health/ready, /metrics and /v1/models"""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool

from grice.middleware.service.answers import Live, Models, Ready, StoreState
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.loaded_models import loaded_models
from grice.middleware.service.openapi import problems
from grice.models.errors import StoreError

router = APIRouter(tags=["operations"], responses=problems())


@router.get("/health/live", operation_id="live", summary="Whether the process answers")
async def live() -> Live:
    """For a liveness probe."""
    return Live()


@router.get("/health/ready", operation_id="ready", summary="Whether the service can be used")
async def ready(engine: EngineOf) -> Ready:
    """For a readiness probe. Models are loaded before the service listens; without its store it is usable, but degraded."""
    try:
        await run_in_threadpool(engine.store.ping)
        reachable = True
    except StoreError:
        reachable = False
    return Ready(
        status="ready" if reachable else "degraded",
        store=StoreState(kind=engine.settings.store, reachable=reachable),
        providers={model.role: model.provider for model in loaded_models(engine)},
    )


@router.get("/metrics", operation_id="metrics", summary="Metrics for Prometheus", response_class=Response)
async def metrics(engine: EngineOf) -> Response:
    """Counts and latencies; no text and no names of dialogues."""
    return Response(generate_latest(engine.metrics.registry), media_type=CONTENT_TYPE_LATEST)


@router.get("/v1/models", operation_id="list_models", summary="Which models are loaded")
async def list_models(engine: EngineOf) -> Models:
    """Names, versions and checksums, as their manifests say."""
    return Models(models=loaded_models(engine))
