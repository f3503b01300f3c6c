"""Posts alerts to a URL, in the form that its receiver reads: again after failures, and never in the way of the caller."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from grice.middleware.alerts.alert import Alert
from grice.middleware.alerts.formats import WebhookTarget
from grice.middleware.alerts.settings import AlertSettings
from grice.middleware.alerts.signature import HEADER, sign
from grice.middleware.runtime.outbox import Attempt, Outbox, OutboxLimits, OutboxOutcome, attempt_of
from grice.models.errors import MissingExtra

try:
    import httpx
except ImportError as error:
    raise MissingExtra("httpx", "server") from error

log = logging.getLogger(__name__)


class Webhook:
    """Posts alerts in order. What fails is logged, without the URL, and counted.

    An alert may arrive twice, when an answer is lost: receivers go by `id` and `state`.

    Args:
        settings: where to, how often.
        count: told of each outcome: `delivered`, `retried`, `given_up` or `dropped`.
        close_s: how long closing waits for alerts to be delivered.

    Raises:
        SettingsError: the URL cannot be read.
    """

    def __init__(self, settings: AlertSettings, count: Callable[[str], None], close_s: float = 5.0) -> None:
        self._target = WebhookTarget.of(settings.alert_webhook_url)
        self._secret = settings.alert_webhook_secret
        self._page_url = settings.alert_page_url
        self._count = count
        self._client = httpx.Client(timeout=settings.alert_webhook_timeout_s, follow_redirects=False)
        limits = OutboxLimits(
            settings.alert_webhook_queue,
            1,
            settings.alert_webhook_tries,
            settings.alert_webhook_retry_s,
            close_s,
            settings.alert_webhook_timeout_s,
        )
        self._outbox = Outbox[Alert]("grice-webhook", self._post, limits, self._tell)

    def start(self) -> None:
        """Begin to deliver."""
        self._outbox.start()

    def put(self, alert: Alert) -> None:
        """Take an alert; returns at once."""
        self._outbox.put([alert])

    def close(self) -> None:
        """Deliver what waits, for `close_s` at most; what is left is counted as dropped."""
        self._outbox.close()
        self._client.close()

    def _post(self, batch: Sequence[Alert]) -> Attempt:
        (alert,) = batch
        body = self._target.body(alert, self._page_url)
        headers = {"content-type": "application/json", "user-agent": "grice"}
        if self._target.format == "grice":
            headers[HEADER] = sign(self._secret, body, time.time())
        try:
            with self._client.stream("POST", self._target.url, content=body, headers=headers) as answer:
                return attempt_of(answer.status_code, answer.headers.get("retry-after", ""))
        except httpx.TransportError as error:
            return Attempt(type(error).__name__, 0.0)
        except Exception as error:  # noqa: BLE001 - the thread goes on; such as a URL that only httpx finds fault with
            return Attempt(type(error).__name__)

    def _tell(self, outcome: OutboxOutcome, batch: Sequence[Alert], why: str) -> None:
        for alert in batch:
            self._count(outcome)
            if outcome in ("given_up", "dropped"):
                log.error("an alert did not reach the webhook: %s; rule %s, %s, %s", why, alert.rule, alert.behavior, alert.state)
