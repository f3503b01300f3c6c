"""The behaviour model behind the REST service, against the real service and against answers that misbehave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import FakeBehaviors, fake_monitor, fakes
from live_service import serving
from loopback_server import items_of, loopback, saying, sent

from grice.middleware.client import RemoteMonitor, RemoteService, RemoteSettings
from grice.middleware.monitor import Monitor
from grice.middleware.responses.checks import ResponseChecks
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.dialogue import Dialogue
from grice.models.errors import ServiceError
from grice.models.results import BEHAVIORS

AGAIN = Dialogue.of("We close at nine, that is Red !Sel.", [("user", "Hello."), ("bot", "We close at ten.")], "bot")
FINE = Dialogue.of("Good morning.", speaker="bot")


def patient(url: str, api_key: str = "") -> RemoteService:
    return RemoteService(RemoteSettings(url, api_key, 20_000), probe_every_s=0.05)


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(responses=fake_monitor()))) as client:
        yield client


def counted(client: httpx.Client) -> int:
    count: int = client.get("/v1/rates").json()["rates"][0]["scored"]
    return count


def test_it_scores_as_the_model_in_process_does(client: httpx.Client) -> None:
    dialogues = [AGAIN, FINE] * 40
    remote = RemoteMonitor(patient(str(client.base_url)))
    assert remote.predict(dialogues) == FakeBehaviors().predict(dialogues)
    assert remote.predict([]) == []
    assert counted(client) == 80


def test_it_can_leave_the_rates_alone(client: httpx.Client) -> None:
    RemoteMonitor(patient(str(client.base_url)), counted=False).predict([AGAIN])
    assert counted(client) == 0


def test_no_judge_is_asked() -> None:
    asked: list[dict[str, object]] = []

    def answer(connection: Any, request: bytes) -> bool:
        asked.extend(items_of(request))
        return sent(connection, json.dumps({"items": [ROW], "schema_version": 1}).encode())

    with loopback(answer) as server:
        RemoteMonitor(patient(server.url)).predict([AGAIN])
    assert [(item["judged"], item["counted"]) for item in asked] == [(False, True)]


def test_it_is_a_model_for_a_monitor_and_for_the_checks_of_responses(client: httpx.Client) -> None:
    remote = RemoteMonitor(patient(str(client.base_url)))
    (report,) = Monitor(remote, dict.fromkeys(BEHAVIORS, 0.5)).predict([AGAIN])
    assert report.shown == ("!Sel", "Red")
    checked = ResponseChecks(monitor=remote, thresholds={"Red": 0.8}).check(AGAIN)
    assert (checked.exceeded, checked.shown, checked.failures) == (("Red",), ("!Sel", "Red"), ())


def test_a_model_that_fails_in_the_service_is_an_error(client: httpx.Client) -> None:
    remote = RemoteMonitor(patient(str(client.base_url)))
    poison = Dialogue.of("poison", speaker="bot")
    with pytest.raises(ServiceError, match="did not score the response: RuntimeError"):
        remote.predict([FINE, poison])
    assert not remote.service.breaker.is_open
    failed, fine = Monitor(remote, {"Emp": 0.5}).predict([poison, FINE])
    assert failed.behaviors is None
    assert fine.behaviors is not None


def test_keys_are_sent() -> None:
    app = create_app(fakes(responses=fake_monitor()), ServiceSettings(api_keys=("open-sesame-open",)))
    with serving(app) as client:
        assert len(RemoteMonitor(patient(str(client.base_url), "open-sesame-open")).predict([FINE])) == 1
        with pytest.raises(ServiceError, match="401"):
            RemoteMonitor(patient(str(client.base_url), "wrong")).predict([FINE])


ROW: dict[str, Any] = {
    "probabilities": dict.fromkeys(BEHAVIORS, 0.5),
    "thresholds": dict.fromkeys(BEHAVIORS, 0.4),
    "evidence": {"Red": {"turn": 1, "speaker": "bot", "text": "We close at ten."}},
    "history_read": 2,
    "history_cut": 0,
    "text_cut": False,
    "failures": [],
}


def test_what_was_not_scored_stays_unscored() -> None:
    with loopback(saying({"items": [{**ROW, "probabilities": {"Red": 0.5, "Ign": None}}], "schema_version": 1})) as server:
        (found,) = RemoteMonitor(patient(server.url)).predict([AGAIN])
    assert found.probabilities == {**dict.fromkeys(BEHAVIORS), "Red": 0.5}
