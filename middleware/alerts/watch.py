"""Checks alerts every so many seconds, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from grice.middleware.alerts.alerts import Alerts


class AlertWatch:
    """Runs `Alerts.check` from `start` to `close`.

    Args:
        alerts: what is checked.
        every_s: seconds between two checks.
        begin, end: start what tells the alerts, and give back what they use.
    """

    def __init__(self, alerts: Alerts, every_s: float, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self.alerts = alerts
        self._every_s = every_s
        self._begin = begin
        self._end = end
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="grice-alerts", daemon=True)

    def start(self) -> None:
        """Check now and from now on."""
        self._begin()
        self._thread.start()

    def close(self) -> None:
        """End, once the check under way is done and alerts that wait for the webhook are delivered or given up."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._end()

    def _run(self) -> None:
        while True:
            self.alerts.check()
            if self._stop.wait(self._every_s):
                return
