"""Which rules raise alerts, and where they go."""

from __future__ import annotations

from dataclasses import dataclass

from grice.middleware.alerts.formats import WebhookTarget
from grice.middleware.settings import check_settings, secret, setting
from grice.models.errors import SettingsError

SHORTEST_SECRET = 16


@dataclass(frozen=True)
class AlertSettings:
    """How alerts are raised. They always go to the log; to a webhook too where one is named.

    Attributes:
        alert_rules: the path of a JSON file of rules (`read_rules`); empty: `DEFAULT_RULES`.
        alert_every_s: seconds between two checks of the rules.
        alert_webhook_url: where alerts are posted; empty: nowhere. `https://…`: as JSON, signed; `slack+https://…`: an incoming
            webhook of Slack; `pagerduty+https://ROUTING_KEY@events.pagerduty.com/v2/enqueue`: events of PagerDuty.
        alert_webhook_secret: what Grice's own posts are signed with (`grice.middleware.alerts.verify`), at least 16 characters.
        alert_quotes: newest responses that an alert to the webhook quotes, each with the earlier turn that it is about; 0: no text
            of a conversation leaves.
        alert_webhook_timeout_s: how long connecting, and the answer, may take.
        alert_webhook_tries: how often an alert is posted at most.
        alert_webhook_retry_s: seconds before the second try, roughly; it doubles with each.
        alert_page_url: where people find the page of the service, such as `https://grice.example`: posts link to the alert there,
            and each quoted response to its dialogue; empty: they have no links.
        alert_webhook_queue: alerts that wait for the webhook; more are only logged.

    Raises:
        SettingsError: a value is out of range, or there is a webhook and no secret.
    """

    alert_rules: str = ""
    alert_every_s: float = setting(30.0, 0.01, 86_400.0)
    alert_webhook_url: str = secret("")
    alert_webhook_secret: str = secret("", flag=False)
    alert_quotes: int = setting(3, 0, 20)
    alert_webhook_timeout_s: float = setting(5.0, 0.01, 600.0)
    alert_webhook_tries: int = setting(6, 1, 20)
    alert_webhook_retry_s: float = setting(2.0, 0.001, 600.0)
    alert_page_url: str = ""
    alert_webhook_queue: int = setting(100, 1, 100_000)

    def __post_init__(self) -> None:
        check_settings(self)
        page = self.alert_page_url
        if page and not page.startswith(("http://", "https://")):
            raise SettingsError("alert_page_url", page.split("://")[0], "a URL that starts with http:// or https://, or nothing")
        if not self.alert_webhook_url:
            return
        target = WebhookTarget.of(self.alert_webhook_url)
        if target.format == "grice" and len(self.alert_webhook_secret) < SHORTEST_SECRET:
            got = f"{len(self.alert_webhook_secret)} characters"
            raise SettingsError("alert_webhook_secret", got, f"at least {SHORTEST_SECRET} characters, the receiver's too")
