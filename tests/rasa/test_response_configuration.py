"""What the response generator takes in `endpoints.yml`, and what it refuses when the bot starts."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from rasa.core.agent import load_agent
from rasa.core.utils import AvailableEndpoints
from rasa.shared.exceptions import InvalidConfigException
from rasa.shared.utils.io import read_yaml
from rasa.utils.endpoints import EndpointConfig

from grice.components.settings import given_keys
from grice.middleware.events import DeliverySettings
from grice.middleware.responses.settings import ResponseSettings

TYPE = "grice.components.MonitoredResponseGenerator"
URL = "http://127.0.0.1:8300"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"softn": True}, "MonitoredResponseGenerator: setting softn: got True; allowed: no such key; there are: monitor, soften,"),
        ({"soften": "yes"}, "setting soften: got 'yes'; allowed: true, false"),
        ({"soften_only": ["utter_ask"]}, "setting soften_only: got ('utter_ask',); allowed: only with soften: true"),
        ({"skip": "utter_ask"}, "setting skip: got 'utter_ask'; allowed: a list of names of responses"),
        ({"deadline_ms": 0}, "setting deadline_ms: got 0; allowed: 1 to"),
        ({"min_confidence": 2}, "setting min_confidence: got 2; allowed: 0.0 to 1.0"),
        ({"precision": "int4"}, "setting precision: got 'int4'; allowed: int8, fp32, fp16"),
        ({"soften": True, "rewriter_model": "nobody"}, "model 'nobody' not found; shipped models: "),
        (
            {"monitor": "nowhere.at_all"},
            "setting monitor: got 'nowhere.at_all'; allowed: local, http, or the module.name of a callable that can be imported",
        ),
        (
            {"monitor": "scripted_monitor.nobody"},
            "setting monitor: got 'scripted_monitor.nobody'; allowed: local, http, or the module.name of a callable",
        ),
        ({"monitor": "plain"}, "setting monitor: got 'plain'"),
        ({"monitor": "scripted_monitor.not_callable"}, "module.name of a callable"),
        ({"monitor": "scripted_monitor.nothing"}, "a callable that returns a model with predict"),
        (
            {"fallback": {"!Rel": 0.5}, "fallback_response": "utter_a"},
            "setting fallback: got 'thresholds'; allowed: only with a monitor",
        ),
        ({"monitor": "scripted_monitor.Scripted", "fallback": {"!Rel": 0.5}}, "setting fallback_response: got ''"),
        (
            {"monitor": "scripted_monitor.Scripted", "fallback": {"Rel": 0.5}},
            "setting fallback: got 'Rel'; allowed: Emp, !Emp, !Com",
        ),
        ({"monitor": "scripted_monitor.Scripted", "fallback": {"!Rel": 5}}, "setting fallback.!Rel: got 5; allowed: 0.0 to 1.0"),
        ({"url": "http://localhost"}, "setting url: got 'a value'; allowed: only with monitor: http"),
        ({"monitor": "local", "api_key": "hidden"}, "setting api_key: got 'a value'; allowed: only with monitor: http"),
        ({"monitor": "local", "counted": True}, "setting counted: got 'a value'; allowed: only with monitor: http"),
        ({"monitor": "local", "behaviors_model": "nobody"}, "model 'nobody' not found; shipped models: "),
        ({"monitor": "local", "behaviors_model": 3}, "setting behaviors_model: got 3; allowed: a string"),
        ({"monitor": "local", "threads": 0}, "setting threads: got 0; allowed: 1 to"),
        ({"monitor": "http"}, "setting url: got ''; allowed: the address of the service, for instance http://127.0.0.1:8300"),
        ({"monitor": "http", "url": "localhost:8300"}, "setting url: got 'localhost:8300'; allowed: the address of the service"),
        ({"monitor": "http", "url": URL, "counted": "no"}, "setting counted: got 'no'; allowed: true, false"),
        ({"monitor": "http", "url": URL, "api_key": 5}, "setting api_key: got 'a value that is not shown'"),
        ({"monitor": "http", "url": URL, "token": "hidden"}, "setting token: got 'a value'; allowed: no such key here"),
        (
            {"monitor": "http", "url": URL, "behaviors_model": "other"},
            "setting behaviors_model: got 'a value'; allowed: only with monitor: local",
        ),
    ],
)
def test_a_configuration_that_cannot_be_used_keeps_the_bot_from_starting(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidConfigException) as caught:
        asyncio.run(load_agent("nowhere", endpoints=AvailableEndpoints(nlg=EndpointConfig.from_dict({"type": TYPE, **keys}))))
    assert message in str(caught.value)


def test_what_the_example_bot_shows_can_be_used_as_it_stands() -> None:
    text = (Path(__file__).parents[2] / "rasa_project" / "endpoints.yml").read_text("utf-8")
    entries = read_yaml("\n".join(re.findall(r"^# (\w+:|  .*)$", text, re.MULTILINE)))
    assert set(entries) == {"event_broker", "nlg"}
    for name, settings in (("event_broker", DeliverySettings), ("nlg", ResponseSettings)):
        settings.of(given_keys(name, EndpointConfig.from_dict(entries[name])))
