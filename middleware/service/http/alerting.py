"""GET /v1/alerts"""

from __future__ import annotations

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool

from grice.middleware.service.engine import EngineOf
from grice.middleware.service.http.openapi import problems
from grice.middleware.service.watch.alert_wire import AlertsAnswer, wire_alerts

router = APIRouter(tags=["monitor"])


@router.get("/v1/alerts", operation_id="read_alerts", summary="The rules of alerts and what fires", responses=problems(503))
async def read_alerts(engine: EngineOf) -> AlertsAnswer:
    """The rules that are watched, what fires now, and the alerts that were told; with `--store redis` by whichever process."""
    return wire_alerts(await run_in_threadpool(engine.watch.alerts))
