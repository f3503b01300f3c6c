"""OpenTelemetry: spans of what takes time, and an event for each behaviour that was scored; nothing without the package."""

from grice.middleware.telemetry.evaluations import record_evaluation
from grice.middleware.telemetry.setup import configure
from grice.middleware.telemetry.spans import traced

__all__ = ["configure", "record_evaluation", "traced"]
