"""Scores the bot's responses from a Redis stream. The worker itself is `grice.middleware.stream.worker.Worker`."""

from grice.middleware.stream.worker_counts import WorkerCounts
from grice.middleware.stream.worker_settings import WorkerSettings

__all__ = ["WorkerCounts", "WorkerSettings"]
