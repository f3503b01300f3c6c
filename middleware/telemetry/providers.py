"""The providers of spans and events of OpenTelemetry's SDK, over OTLP (HTTP)."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry import _logs, trace
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def install(service_name: str, traces: bool, logs: bool) -> Callable[[], None]:
    """Set the process's providers and return what ends them. Providers that somebody else set stay.

    Args:
        service_name: used where the environment gives none.
        traces, logs: which of the two.
    """
    given = OTELResourceDetector().detect().attributes
    resource = Resource.create({} if SERVICE_NAME in given else {SERVICE_NAME: service_name})
    ends: list[Callable[[], None]] = []
    if traces and not isinstance(trace.get_tracer_provider(), TracerProvider):
        tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(tracers)
        ends.append(tracers.shutdown)
    if logs and not isinstance(_logs.get_logger_provider(), LoggerProvider):
        loggers = LoggerProvider(resource=resource, shutdown_on_exit=False)
        loggers.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
        _logs.set_logger_provider(loggers)
        ends.append(loggers.shutdown)

    def end() -> None:
        for each in ends:
            each()

    return end
