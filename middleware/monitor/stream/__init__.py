"""Scores the bot's responses from a Redis stream. The worker itself is `grice.middleware.monitor.stream.worker.Worker`."""

from grice.middleware.monitor.stream.worker_counts import WorkerCounts
from grice.middleware.monitor.stream.worker_settings import WorkerSettings

__all__ = ["WorkerCounts", "WorkerSettings"]
