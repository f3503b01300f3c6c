"""A process with one worker in it, with all that belongs to it: alerts, metrics, telemetry, signals."""

from __future__ import annotations

import logging
import signal

from grice.middleware.alerts import AlertSettings, QuotedResponses, open_alerts
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.monitor.monitor import Monitor
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.rates.redis import RedisRates
from grice.middleware.runtime.redis_connection import urls_of
from grice.middleware.serving.probes import ProbeServer
from grice.middleware.sinks import open_sinks
from grice.middleware.stream.health import WorkerHealth
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.sharded import ShardedWorker
from grice.middleware.telemetry import configure
from grice.middleware.telemetry.evaluations import record_evaluation
from grice.models.errors import MissingExtra, SettingsError

try:
    from prometheus_client import CollectorRegistry, ProcessCollector
except ImportError as error:
    raise MissingExtra("prometheus-client", "server") from error

log = logging.getLogger(__name__)


def run_worker(monitor: Monitor, settings: WorkerSettings, alerts: AlertSettings, once: bool = False) -> None:
    """Work until SIGTERM or SIGINT: the batch in hand is finished then. With `once` until there is nothing left to do.

    Raises:
        MissingExtra: a package is not installed.
        SettingsError: a URL, a rule or the port of the metrics cannot be used.
        StoreError: with `once`, Redis could not be used for too long.
    """
    end_telemetry = configure("grice-worker")
    metrics = MonitorMetrics(CollectorRegistry())
    ProcessCollector(registry=metrics.registry)
    sinks = open_sinks(settings, metrics.sink)
    examples = QuotedResponses(alerts.alert_quotes if alerts.alert_webhook_url else 0, alerts.alert_page_url)

    def tell(response: ScoredResponse) -> None:
        record_evaluation(response)
        sinks.put(response)
        examples.add(response)

    worker = ShardedWorker(monitor, settings, metrics, tell)
    rates = RedisRates(settings.redis_url, settings.redis_timeout_ms / 1000)
    watch = open_alerts(alerts, rates, urls_of(settings.redis_url)[0], metrics, examples)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    health = WorkerHealth(worker, settings)
    probes = _serve(metrics, settings, health) if settings.metrics_port else None
    watch.start()
    sinks.start()
    log.info("the worker runs", extra={"stream": settings.events_stream, "partitions": settings.events_partitions})
    try:
        worker.run(once)
    finally:
        if probes is not None:
            probes.close()
        health.close()
        watch.close()
        sinks.close()
        rates.close()
        end_telemetry()


def _serve(metrics: MonitorMetrics, settings: WorkerSettings, health: WorkerHealth) -> ProbeServer:
    try:
        probes = ProbeServer(settings.metrics_host, settings.metrics_port, metrics.registry, health.look)
    except OSError as error:
        raise SettingsError("metrics_port", settings.metrics_port, f"a free port of {settings.metrics_host}") from error
    probes.start()
    return probes
