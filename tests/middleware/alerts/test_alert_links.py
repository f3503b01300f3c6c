"""Alerts as JSON: read back as they were written, with a link to the page where people find it."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from grice.middleware.alerts import Alert, AlertSettings, QuotedResponse
from grice.models.errors import InputError, SettingsError

ALERT = Alert("a1", "firing", "often", "threshold", "Red", "v 1&2", None, 3600, 8, 10, 0.8, 0.3, None, 1.0, 2.0)


def test_an_alert_is_read_back() -> None:
    assert Alert.from_json(ALERT.to_json()) == ALERT
    assert Alert.from_json(ALERT.to_json("https://grice.example")) == ALERT
    quoting = replace(ALERT, examples=(QuotedResponse("e", "d", "No.", "Yes.", "https://grice.example/#/inspector/dialogue/d"),))
    assert Alert.from_json(quoting.to_json()) == quoting
    for wrong in ("", "[]", '{"id": 1}', '{"id": "a", "cat": 1}'):
        with pytest.raises(InputError):
            Alert.from_json(wrong)


def test_the_link_leads_to_the_alert_on_the_page() -> None:
    assert "link" not in json.loads(ALERT.to_json())
    link = urlsplit(json.loads(ALERT.to_json("https://grice.example/sub/"))["link"])
    assert (link.netloc, link.path) == ("grice.example", "/sub/")
    place, _, query = link.fragment.partition("?")
    assert place == "/operations"
    assert parse_qs(query) == {"window": ["3600"], "bot_version": ["v 1&2"], "alert": ["a1"]}


def test_the_page_has_to_be_an_address() -> None:
    with pytest.raises(SettingsError, match="alert_page_url"):
        AlertSettings(alert_page_url="grice.example")
