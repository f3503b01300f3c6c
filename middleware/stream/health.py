"""Whether a worker can do its work, as `/health` of its small port says."""

from __future__ import annotations

from typing import Any

from grice.middleware.runtime.redis_connection import RedisError, check_writable, connect, urls_of
from grice.middleware.serving.probes import Health
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.sharded import ShardedWorker

LONGEST_S = 1.0
"""How long Redis may take for a probe."""


class WorkerHealth:
    """Well is a worker that gets on, and whose servers of Redis can all be written.

    Args:
        worker: which.
        settings: where its Redis is. The probe has connections of its own, as the worker's may wait.
    """

    def __init__(self, worker: ShardedWorker, settings: WorkerSettings) -> None:
        self._workers = worker.workers
        most_s = min(LONGEST_S, settings.redis_timeout_ms / 1000)
        self._servers: list[Any] = [connect(url, most_s) for url in urls_of(settings.redis_url)]

    def look(self) -> Health:
        """How it is now; of several servers or workers, the first that is not well."""
        redis = next((fault for fault in map(_fault, self._servers) if fault), "writable")
        trouble = next((worker.trouble for worker in self._workers if worker.trouble), "")
        is_well = redis == "writable" and not trouble
        return Health(is_well, {"status": "well" if is_well else "unwell", "redis": redis, "worker": trouble or "well"})

    def close(self) -> None:
        """Give the connections back."""
        for server in self._servers:
            server.close()


def _fault(server: Any) -> str:
    """The class of the error of a server that cannot be written; empty: it can be."""
    try:
        check_writable(server)
    except (RedisError, OSError) as error:
        return type(error).__name__
    return ""
