"""Alerts in Slack's and PagerDuty's forms, with the responses that they are about."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from loopback_server import LoopbackServer, loopback, saying
from redis_process import eventually
from scored_fixtures import NOON, scored, several

from grice.middleware.alerts import Alert, AlertSettings, QuotedResponse, QuotedResponses, open_alerts
from grice.middleware.alerts.formats import WebhookTarget
from grice.middleware.monitor.scored_response import Fault
from grice.middleware.rates import MemoryRates
from grice.models.errors import SettingsError

EXAMPLE = QuotedResponse(
    "e", "d 1", "Where <b>were</b> we & why?", "I said so.", "https://grice.example/#/inspector/dialogue/d%201"
)
ALERT = Alert("id", "firing", "often", "threshold", "Red", "1.0", "rest", 900, 40, 100, 0.4, 0.2, None, NOON, NOON)
QUOTING = replace(ALERT, examples=(EXAMPLE,))


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def body(url: str, alert: Alert, page_url: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(WebhookTarget.of(url).body(alert, page_url))
    return found


def test_slack_gets_blocks_with_quotes_and_a_link() -> None:
    told = body("slack+https://hooks.slack.com/services/T/B/x", QUOTING)
    assert told.keys() == {"text", "blocks"}
    assert all(block["type"] == "section" and block["text"]["type"] == "mrkdwn" for block in told["blocks"])
    head, quoted = (block["text"]["text"] for block in told["blocks"])
    assert head.startswith(":rotating_light: *")
    assert "40.0% of 100 responses" in head
    assert quoted.split("\n") == [
        "> Where &lt;b&gt;were&lt;/b&gt; we &amp; why?",
        "before: _I said so._",
        "<https://grice.example/#/inspector/dialogue/d%201|the dialogue>",
    ]
    assert "|the alert>" not in head


MARKED = replace(EXAMPLE, words="<b>were</b>", about="I said & so")


def test_slack_gets_the_words_that_clash_on_both_sides() -> None:
    _, quoted = body("slack+https://hooks.slack.com/x", replace(ALERT, examples=(MARKED,)))["blocks"]
    assert quoted["text"]["text"].split("\n") == [
        "> Where &lt;b&gt;were&lt;/b&gt; we &amp; why?",
        "wrong: _&lt;b&gt;were&lt;/b&gt;_",
        "against: _I said &amp; so_",
        "before: _I said so._",
        "<https://grice.example/#/inspector/dialogue/d%201|the dialogue>",
    ]


@pytest.mark.parametrize(("url", "path"), [("https://bots.example", ()), ("pagerduty+https://k@e", ("payload", "custom_details"))])
def test_json_and_pagerduty_have_the_words_that_clash_as_fields(url: str, path: tuple[str, ...]) -> None:
    told = body(url, replace(ALERT, examples=(MARKED,)))
    for name in path:
        told = told[name]
    (example,) = told["examples"]
    assert (example["words"], example["about"]) == ("<b>were</b>", "I said & so")


def test_a_long_quote_is_cut_to_what_slack_takes() -> None:
    told = body("slack+https://hooks.slack.com/x", replace(ALERT, examples=(replace(EXAMPLE, text="<" * 9000),)))
    assert all(len(block["text"]["text"]) <= 3000 for block in told["blocks"])


def test_pagerduty_gets_an_event_that_its_end_resolves() -> None:
    target = "pagerduty+https://R0%2FKEY@events.pagerduty.com/v2/enqueue"
    assert WebhookTarget.of(target).url == "https://events.pagerduty.com/v2/enqueue"
    begun = body(target, QUOTING)
    over = body(target, replace(ALERT, state="resolved", share=0.1))
    assert begun.keys() == {"routing_key", "event_action", "dedup_key", "client", "payload", "links"}
    assert (begun["routing_key"], begun["event_action"], over["event_action"]) == ("R0/KEY", "trigger", "resolve")
    assert begun["dedup_key"] == over["dedup_key"] == "id"
    payload = begun["payload"]
    assert {"summary", "source", "severity", "timestamp", "component", "group", "class", "custom_details"} == payload.keys()
    assert payload["severity"] in ("critical", "error", "warning", "info")
    assert len(payload["summary"]) <= 1024
    assert payload["custom_details"]["examples"][0]["text"] == EXAMPLE.text
    assert begun["links"] == [{"href": EXAMPLE.link, "text": "dialogue d 1"}]


def test_the_alert_has_a_link_to_the_page_in_every_form() -> None:
    page = "https://grice.example/"
    link = ALERT.link(page)
    assert body("https://bots.example", ALERT, page)["link"] == link
    assert (
        f"<{link.replace('&', '&amp;')}|the alert>"
        in body("slack+https://hooks.slack.com/x", ALERT, page)["blocks"][0]["text"]["text"]
    )
    event = body("pagerduty+https://key@events.pagerduty.com/v2/enqueue", ALERT, page)
    assert event["client_url"] == link


def test_examples_are_the_newest_of_the_behaviour_version_and_window() -> None:
    examples = QuotedResponses(2, "https://grice.example/")
    responses: list[dict[str, Any]] = [
        {"at": NOON - 1000},
        {},
        {"bot_version": "2.0"},
        {"tenant": "acme"},
        {"dialogue_id": "a/b"},
        {"evidence": {"Red": "Earlier."}},
    ]
    for number, changes in enumerate(responses):
        examples.add(scored("Red", **{"event_id": str(number), "bot_version": "1.0", "channel": "rest", **changes}))
    examples.add(scored("Ign", event_id="other", bot_version="1.0", channel="rest"))
    found = examples.of(ALERT)
    assert [(each.event_id, each.evidence) for each in found] == [("5", "Earlier."), ("4", "")]
    assert found[1].link == "https://grice.example/#/inspector/dialogue/a%2Fb"
    assert [each.event_id for each in examples.of(replace(ALERT, bot_version=None, channel=None, tenant="acme"))] == ["3"]
    assert examples.of(replace(ALERT, state="resolved")) == ()
    assert QuotedResponses(0).of(ALERT) == ()


def test_an_example_has_the_words_that_the_reader_of_relations_marks() -> None:
    """Those of the alert's own behaviour; of several the likeliest, which comes first."""
    examples = QuotedResponses(3)
    faults = (
        Fault("!Rel", 0.95, "", "skip lunch"),
        Fault("Red", 0.9, "what do you eat", "What do you eat?"),
        Fault("Red", 0.7, "x", "y"),
    )
    examples.add(scored("Red", "!Rel", bot_version="1.0", channel="rest", faults=faults))
    examples.add(scored("Red", bot_version="1.0", channel="rest", faults=faults[:1]))
    marked = [(each.words, each.about) for each in examples.of(ALERT)]
    assert marked == [("", ""), ("What do you eat?", "what do you eat")]


def test_an_alert_about_alarms_quotes_the_responses_that_raised_one() -> None:
    examples = QuotedResponses(3)
    faults = (Fault("!Rel", 0.95, "", "skip lunch"),)
    examples.add(scored("Red", event_id="shown", bot_version="1.0", channel="rest", alarm=False))
    examples.add(scored(event_id="raised", bot_version="1.0", channel="rest", alarm=True, faults=faults))
    found = examples.of(replace(ALERT, behavior="alarm"))
    assert [(each.event_id, each.words) for each in found] == [("raised", "skip lunch")]


@contextmanager
def alerted(scheme: str, login: str = "", **values: Any) -> Iterator[LoopbackServer]:
    """A webhook that has had one alert."""
    page = "https://grice.example"
    rates, examples = MemoryRates(), QuotedResponses(values.get("alert_quotes", 3), page)
    with loopback(saying(b"ok")) as server:
        url = f"{scheme}{server.url.replace('://', f'://{login}')}"
        settings = AlertSettings(alert_every_s=0.02, alert_webhook_url=url, alert_page_url=page, **values)
        watch = open_alerts(settings, rates, "", None, examples)
        watch.start()
        responses = several("!Sel", 80, 100, at=time.time(), text="I never eat.", evidence={"!Sel": "I ate."})
        for response in responses:
            examples.add(response)
        rates.add(responses)
        eventually(lambda: len(server.requests) == 1)
        watch.close()
        yield server


@pytest.mark.parametrize(("scheme", "login"), [("slack+", ""), ("pagerduty+", "key@")])
def test_from_rates_to_their_webhook(scheme: str, login: str) -> None:
    with alerted(scheme, login) as server:
        (request,) = server.requests
    assert b"grice-signature" not in request.lower()
    assert b"authorization" not in request.lower()
    assert b"I never eat." in request
    assert b"I ate." in request
    assert b"https://grice.example/#/inspector/dialogue/" in request
    assert b"https://grice.example/#/operations?" in request


def test_no_text_leaves_without_quotes() -> None:
    with alerted("slack+", alert_quotes=0) as server:
        assert b"I never eat." not in server.requests[0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"alert_webhook_url": "teams+https://hidden"}, "got 'teams+https'; allowed: a URL that starts with http://"),
        ({"alert_webhook_url": "pagerduty+https://hidden.example"}, "got 'pagerduty without a key'"),
    ],
)
def test_settings_of_a_format_that_cannot_be_used(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        AlertSettings(**values)
    assert message in str(caught.value)
    assert "hidden" not in str(caught.value)
