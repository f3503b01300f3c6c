"""OpenTelemetry: spans of what takes time, and (`evaluations`) an event for each behaviour scored; nothing without the package."""

from grice.middleware.telemetry.setup import configure
from grice.middleware.telemetry.spans import traced

__all__ = ["configure", "traced"]
