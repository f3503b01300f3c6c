"""Sends spans and events to where OpenTelemetry's own environment variables say."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from grice.models.errors import MissingExtra, SettingsError

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
SPOKEN = "http/protobuf"


def configure(service_name: str, environment: Mapping[str, str] | None = None) -> Callable[[], None]:
    """Set the process's providers of spans and events if `OTEL_EXPORTER_OTLP_ENDPOINT` (or that of traces or logs) is set.

    All else is read by OpenTelemetry's SDK itself: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS`,
    `OTEL_TRACES_SAMPLER`, `OTEL_BSP_…`, `OTEL_BLRP_…`. A provider that somebody else set stays.

    Args:
        service_name: used where `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` give none.
        environment: None: the process's. The SDK reads the process's in any case.

    Returns:
        Sends what waits and ends; call it before the process ends.

    Raises:
        MissingExtra: an endpoint is set and the SDK is not installed.
        SettingsError: the protocol is another than `http/protobuf`.
    """
    source = os.environ if environment is None else environment
    if source.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return _nothing
    signals = [signal for signal in ("TRACES", "LOGS") if _is_wanted(signal, source)]
    if not signals:
        return _nothing
    protocol = source.get(PROTOCOL) or SPOKEN
    if protocol != SPOKEN:
        raise SettingsError(PROTOCOL, protocol, SPOKEN)
    try:
        from grice.middleware.telemetry import providers
    except ImportError as error:
        raise MissingExtra("opentelemetry-sdk", "otel") from error
    return providers.install(service_name, traces="TRACES" in signals, logs="LOGS" in signals)


def _is_wanted(signal: str, source: Mapping[str, str]) -> bool:
    has_endpoint = source.get(ENDPOINT) or source.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
    return bool(has_endpoint) and source.get(f"OTEL_{signal}_EXPORTER", "").strip().lower() != "none"


def _nothing() -> None:
    """Nothing was set up."""
