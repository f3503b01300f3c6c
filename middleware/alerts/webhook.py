"""Posts alerts to a URL: signed, again after failures, and never in the way of the caller."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from grice.middleware.alerts.alert import Alert
from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.alerts.signature import HEADER, sign
from grice.middleware.runtime.backoff import Backoff, retry_after_s
from grice.models.errors import MissingExtra

try:
    import httpx
except ImportError as error:
    raise MissingExtra("httpx", "server") from error

LONGEST_PAUSE_S = 300.0
"""Between two tries, also where the receiver asks for more."""
log = logging.getLogger(__name__)


class Webhook:
    """A bounded queue and a thread that posts what is in it, in order. What fails is logged, without the URL, and counted.

    An alert may arrive twice, when an answer is lost: receivers go by `id` and `state`.

    Args:
        settings: where to, how often.
        count: told of each outcome: `delivered`, `retried`, `given_up` or `dropped`.
        close_s: how long closing waits for alerts to be delivered.
    """

    def __init__(self, settings: AlertSettings, count: Callable[[str], None], close_s: float = 5.0) -> None:
        self.settings = settings
        self._close_s = close_s
        self._count = count
        self._backoff = Backoff(settings.alert_webhook_retry_s, LONGEST_PAUSE_S, spread=0.5)
        self._waiting: deque[Alert] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._stopped = False
        self._client = httpx.Client(timeout=settings.alert_webhook_timeout_s, follow_redirects=False)
        self._thread = threading.Thread(target=self._run, name="grice-webhook", daemon=True)

    def start(self) -> None:
        """Begin to deliver."""
        self._thread.start()

    def put(self, alert: Alert) -> None:
        """Take an alert; returns at once."""
        with self._changed:
            if len(self._waiting) < self.settings.alert_webhook_queue and not self._closing:
                self._waiting.append(alert)
                self._changed.notify_all()
                return
        self._lose(alert, "dropped", "too many wait for the webhook" if not self._closing else "it came after closing")

    def close(self) -> None:
        """Deliver what waits, for `close_s` at most; what is left is counted as dropped."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._waiting, self._close_s)
            self._stopped = True
            left = list(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        for alert in left:
            self._lose(alert, "dropped", "the process ends")
        if self._thread.is_alive():
            self._thread.join(self.settings.alert_webhook_timeout_s)
        self._client.close()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                alert = self._waiting[0]
            self._deliver(alert)
            with self._changed:
                if self._waiting and self._waiting[0] is alert:  # not dropped by closing
                    self._waiting.popleft()
                self._changed.notify_all()

    def _deliver(self, alert: Alert) -> None:
        body = alert.to_json().encode()
        for number in range(1, self.settings.alert_webhook_tries + 1):
            why, asked_s = self._post(body)
            if why is None:
                self._count("delivered")
                return
            if asked_s is None or number == self.settings.alert_webhook_tries:
                self._lose(alert, "given_up", f"{why}, after {number} tries")
                return
            self._count("retried")
            with self._changed:
                self._changed.wait_for(lambda: self._stopped, min(LONGEST_PAUSE_S, max(asked_s, self._backoff.wait_s(number))))
                if self._stopped:
                    return

    def _post(self, body: bytes) -> tuple[str | None, float | None]:
        """What is wrong, None: nothing; and for how many seconds the receiver wants peace, None: for ever."""
        signature = sign(self.settings.alert_webhook_secret, body, time.time())
        headers = {"content-type": "application/json", "user-agent": "grice", HEADER: signature}
        try:
            with self._client.stream("POST", self.settings.alert_webhook_url, content=body, headers=headers) as answer:
                status, retry_after = answer.status_code, answer.headers.get("retry-after", "")
        except httpx.TransportError as error:
            return type(error).__name__, 0.0
        except Exception as error:  # noqa: BLE001 - the thread goes on; such as a URL that only httpx finds fault with
            return type(error).__name__, None
        if 200 <= status < 300:
            return None, None
        again = status >= 500 or status in (408, 425, 429)
        return f"it answered {status}", retry_after_s(retry_after) if again else None

    def _lose(self, alert: Alert, outcome: str, why: str) -> None:
        self._count(outcome)
        log.error("an alert did not reach the webhook: %s; rule %s, %s, %s", why, alert.rule, alert.behavior, alert.state)
