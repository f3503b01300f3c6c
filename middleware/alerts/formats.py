"""What a webhook is told of an alert, in the form that its receiver reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal, get_args
from urllib.parse import unquote, urlsplit, urlunsplit

from grice.middleware.alerts.alert import Alert, QuotedResponse
from grice.middleware.monitor.reports import ALARM, CountedLabel
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.errors import SettingsError
from grice.models.relations.labels import FRUSTRATION

WebhookFormat = Literal["grice", "slack", "pagerduty"]
FORMATS: tuple[WebhookFormat, ...] = get_args(WebhookFormat)
LONGEST_TEXT = 3000
"""Characters that Slack takes in the text of a section."""
LONGEST_SUMMARY = 1024
"""Characters that PagerDuty takes in a summary."""
LONGEST_QUOTE = 300
ALLOWED = "http(s)://…, slack+https://hooks.slack.com/services/…, pagerduty+https://ROUTING_KEY@events.pagerduty.com/v2/enqueue"


@dataclass(frozen=True)
class WebhookTarget:
    """Where alerts are posted, and how they are written.

    Attributes:
        url: without format and key. key: PagerDuty's routing key; "" elsewhere.
    """

    format: WebhookFormat
    url: str
    key: str = ""

    @classmethod
    def of(cls, url: str) -> WebhookTarget:
        """What the setting says: `http(s)://…` is Grice's own form, `slack+https://…` and `pagerduty+https://KEY@…` theirs.

        Raises:
            SettingsError: it is none of these; the URL is not shown.
        """
        parts = urlsplit(url)
        name, _, scheme = parts.scheme.rpartition("+")
        chosen = next((each for each in FORMATS if each == (name or "grice")), None)
        if chosen is None or scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(
                "alert_webhook_url", url.split("://")[0], f"a URL that starts with http:// or https://, or {ALLOWED}"
            )
        if chosen != "pagerduty":
            return cls(chosen, urlunsplit((scheme, *parts[1:])))
        if not parts.username:
            raise SettingsError("alert_webhook_url", "pagerduty without a key", ALLOWED)
        host = parts.netloc.rpartition("@")[2]
        return cls(chosen, urlunsplit((scheme, host, *parts[2:])), unquote(parts.username))

    def body(self, alert: Alert, page_url: str = "") -> bytes:
        """What is posted; with `page_url`, where people find the page, it links to the alert there."""
        return BODIES[self.format](alert, page_url, self.key)


def _grice(alert: Alert, page_url: str, _: str) -> bytes:
    return alert.to_json(page_url).encode()


def _slack(alert: Alert, page_url: str, _: str) -> bytes:
    """A message of an incoming webhook, in blocks (https://docs.slack.dev/reference/block-kit)."""
    sign = ":rotating_light:" if alert.state == "firing" else ":white_check_mark:"
    lines = [f"{sign} *{_escape(_title(alert))}*", _escape(alert.summary)]
    if page_url:
        lines.append(f"<{_escape(alert.link(page_url))}|the alert>")
    blocks = [_section("\n".join(lines)), *(_section(_quoted(each)) for each in alert.examples)]
    return _json({"text": _escape(alert.summary), "blocks": blocks})


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text[:LONGEST_TEXT]}}


def _quoted(example: QuotedResponse) -> str:
    lines = [f"> {_escape(_shorten(example.text))}"]
    spans = (("wrong", example.words), ("against", example.about), ("before", example.evidence))
    lines += [f"{what}: _{_escape(_shorten(text))}_" for what, text in spans if text]
    if example.link:
        lines.append(f"<{_escape(example.link)}|the dialogue>")
    return "\n".join(lines)


def _pagerduty(alert: Alert, page_url: str, key: str) -> bytes:
    """An event of PagerDuty's Events API v2. `firing` triggers, `resolved` resolves what has the same id."""
    payload: dict[str, Any] = {
        "summary": alert.summary[:LONGEST_SUMMARY],
        "source": f"grice/{alert.bot_version or alert.tenant}",
        "severity": "warning",
        "timestamp": datetime.fromtimestamp(alert.at, timezone.utc).isoformat(),
        "component": alert.channel or "bot",
        "group": alert.rule,
        "class": alert.behavior,
        "custom_details": _details(alert),
    }
    event: dict[str, Any] = {
        "routing_key": key,
        "event_action": "trigger" if alert.state == "firing" else "resolve",
        "dedup_key": alert.id,
        "client": "Grice",
        "payload": payload,
    }
    if page_url:
        event["client_url"] = alert.link(page_url)
    links = [{"href": each.link, "text": f"dialogue {each.dialogue_id}"} for each in alert.examples if each.link]
    return _json({**event, "links": links} if links else event)


def _details(alert: Alert) -> Mapping[str, Any]:
    found = json.loads(alert.to_json())
    found["behavior_name"] = name_of(alert.behavior)
    return {name: value for name, value in found.items() if name not in ("schema_version", "summary", "id")}


def _title(alert: Alert) -> str:
    return f"{name_of(alert.behavior)} ({alert.behavior}): {alert.state}"


def name_of(label: CountedLabel) -> str:
    """What an alert is about, in words."""
    if label == FRUSTRATION:
        return "frustrated users"
    return "alarms" if label == ALARM else DEFINITIONS[label].name


def _escape(text: str) -> str:
    """As Slack's mrkdwn wants it: nothing of a text is a link, a mention or a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()


BODIES: Mapping[WebhookFormat, Callable[[Alert, str, str], bytes]] = {"grice": _grice, "slack": _slack, "pagerduty": _pagerduty}
