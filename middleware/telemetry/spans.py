"""Spans around what takes time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from grice.middleware.telemetry.genai_names import ERROR_TYPE
from grice.middleware.telemetry.stage_times import timed

try:
    from opentelemetry import trace
except ImportError:
    HAS_SPANS = False
else:
    HAS_SPANS = True

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

SCOPE = "grice"
"""The instrumentation scope of spans and events."""


@contextmanager
def traced(name: str, provider: TracerProvider | None = None, **attributes: str | int | float | bool) -> Iterator[None]:
    """Time the block as a stage (`stage_times`); and a span around it, where OpenTelemetry is installed and a provider is set.

    An error is told by its class only, since its message may quote a turn. Attributes must not hold texts of turns either.

    Args:
        name: of the span, such as `grice.monitor`.
        provider: None: the process's.
        attributes: each becomes `grice.NAME`.
    """
    if not HAS_SPANS:
        with timed(name):
            yield
        return
    tracer = trace.get_tracer(SCOPE, tracer_provider=provider)
    named = {f"grice.{key}": value for key, value in attributes.items()}
    with (
        timed(name),
        tracer.start_as_current_span(name, attributes=named, record_exception=False, set_status_on_exception=False) as span,
    ):
        try:
            yield
        except BaseException as error:
            span.set_attribute(ERROR_TYPE, type(error).__name__)
            span.set_status(trace.Status(trace.StatusCode.ERROR))
            raise
