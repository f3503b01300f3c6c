"""A process with one worker in it, with all that belongs to it: alerts, metrics, telemetry, signals."""

from __future__ import annotations

import logging
import signal

from grice.middleware.alerts import AlertSettings, open_alerts
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.monitor.monitor import Monitor
from grice.middleware.rates.redis import RedisRates
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.worker import Worker
from grice.middleware.telemetry import configure
from grice.middleware.telemetry.evaluations import record_evaluation
from grice.models.errors import MissingExtra, SettingsError

try:
    from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
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
    worker = Worker(monitor, settings, metrics, record_evaluation)
    rates = RedisRates(settings.redis_url, settings.redis_timeout_ms / 1000)
    watch = open_alerts(alerts, rates, settings.redis_url, metrics)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    if settings.metrics_port:
        _serve(metrics, settings)
    watch.start()
    log.info("the worker runs", extra={"stream": settings.events_stream, "partitions": settings.events_partitions})
    try:
        worker.run(once)
    finally:
        watch.close()
        rates.close()
        end_telemetry()


def _serve(metrics: MonitorMetrics, settings: WorkerSettings) -> None:
    try:
        start_http_server(settings.metrics_port, settings.metrics_host, metrics.registry)
    except OSError as error:
        raise SettingsError("metrics_port", settings.metrics_port, f"a free port of {settings.metrics_host}") from error
