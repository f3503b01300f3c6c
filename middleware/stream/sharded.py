"""One worker process on several Redis servers, each of which holds its share of the dialogues."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from grice.middleware.monitor.monitor import Monitor
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.runtime.redis_connection import urls_of
from grice.middleware.stream.settings import WorkerSettings
from grice.middleware.stream.worker import Worker

if TYPE_CHECKING:
    from grice.middleware.monitor.metrics import MonitorMetrics


class ShardedWorker:
    """A `Worker` for each server of `settings.redis_url`, each in a thread of its own; one that cannot be used stops no other.

    All that a commit writes is on the server of its dialogue: partitions, histories, results, dead letters and counters. So what
    holds of one worker on one server holds here, and results are the union of all servers'.

    Args:
        as of `Worker`.

    Attributes:
        workers: one a server, in the order of the URLs.
    """

    def __init__(
        self,
        monitor: Monitor,
        settings: WorkerSettings,
        metrics: MonitorMetrics | None = None,
        on_result: Callable[[ScoredResponse], None] | None = None,
    ) -> None:
        self.workers = [
            Worker(monitor, replace(settings, redis_url=url), metrics, on_result, shard)
            for shard, url in enumerate(urls_of(settings.redis_url))
        ]

    def run(self, once: bool = False) -> None:
        """As `Worker.run`, of all. Where one ends in an error, the others are stopped, and the error is raised."""
        if len(self.workers) == 1:
            self.workers[0].run(once)
            return
        errors: list[BaseException] = []
        threads = [threading.Thread(target=self._run, args=(worker, once, errors), daemon=True) for worker in self.workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def stop(self) -> None:
        """As `Worker.stop`, of all. May be called from a signal handler."""
        for worker in self.workers:
            worker.stop()

    def _run(self, worker: Worker, once: bool, errors: list[BaseException]) -> None:
        try:
            worker.run(once)
        except BaseException as error:  # noqa: BLE001 - a thread's error is the run's
            errors.append(error)
            self.stop()
