"""From a scored response to its sink: through the service, by the caller's trace, and what travels between processes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from event_fixtures import event
from fake_models import fake_monitor, fakes
from live_service import serving
from loopback_server import loopback, saying
from redis_process import eventually
from scored_fixtures import scored

from grice.middleware.monitor import ScoredResponse
from grice.middleware.monitor.escalation import Escalation
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.middleware.stream.scoring import score
from grice.middleware.telemetry.trace_context import checked_traceparent, read_traceparent
from grice.models.dialogue import Dialogue
from grice.models.results import BEHAVIORS, Behaviors

TRACE, SPAN, OTHER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "b7ad6b7169203331"
HEADER, FIELD = f"00-{TRACE}-{SPAN}-01", f"00-{TRACE}-{OTHER}-01"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def test_scores_go_to_the_span_of_header_or_item() -> None:
    with loopback(saying({"data": []})) as server:
        settings = ServiceSettings(score_sinks=(f"phoenix+{server.url}",))
        with serving(create_app(fakes(responses=fake_monitor()), settings)) as client:
            item: dict[str, Any] = {"text": "That is Red.", "dialogue_id": "talk"}
            for headers, fields in (({"traceparent": HEADER}, {}), ({"traceparent": HEADER}, {"traceparent": FIELD}), ({}, {})):
                assert client.post("/v1/responses", json={**item, **fields}, headers=headers).status_code == 200
            assert client.post("/v1/responses", json={**item, "traceparent": "nonsense"}).status_code == 422
            assert client.post("/v1/responses", json={**item, "counted": False}).status_code == 200
            eventually(lambda: "27.0" in delivered(client.get("/metrics").text))
        rows = [row for request in server.requests for row in json.loads(request.partition(b"\r\n\r\n")[2])["data"]]
    about = [row.get("span_id", row.get("session_id")) for row in rows]
    assert {name: about.count(name) for name in about} == {SPAN: 9, OTHER: 9, "talk": 9}


def delivered(metrics: str) -> str:
    return next((line for line in metrics.splitlines() if line.startswith("grice_sink_scores_total") and '"delivered"' in line), "")


def test_a_worker_takes_the_span_of_the_events_metadata() -> None:
    told = event(1, speaker="bot", text="That is Red.", metadata={"traceparent": HEADER})
    broken = event(2, speaker="bot", text="That is Red.", metadata={"traceparent": 5})
    pairs = [(each, Dialogue((each.turn,))) for each in (told, broken)]
    found = [each.response for each in score(fake_monitor(), pairs, 1, lambda _: None)]  # type: ignore[union-attr]
    assert [each.traceparent for each in found] == [HEADER, ""]


def test_trace_and_uncertainty_travel_and_are_not_named_where_there_are_none() -> None:
    response = scored("Red", traceparent=HEADER, uncertain=("Ign",))
    assert ScoredResponse.from_json(response.to_json()) == response
    assert not {"traceparent", "uncertain", "suppressed"} & json.loads(scored("Red").to_json()).keys()


def test_what_lies_close_to_its_threshold_is_uncertain_until_a_judge_decides() -> None:
    found = Behaviors({**dict.fromkeys(BEHAVIORS, 0.0), "Red": 0.45, "Ign": 0.39, "Emp": 0.6})
    thresholds: dict[Any, float] = dict.fromkeys(BEHAVIORS, 0.5)
    assert Escalation(when="never").uncertain(found, thresholds) == ("Emp", "Red")
    assert Escalation(margin=0.2).uncertain(found, {"Ign": 0.5}) == ("Ign",)


@pytest.mark.parametrize(
    "broken",
    [
        *("", "00", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01"),
        *(HEADER.upper(), f"{HEADER}-x", 5, None),
    ],
)
def test_a_broken_traceparent_names_no_span(broken: object) -> None:
    assert checked_traceparent(broken) == ""


def test_a_traceparent_names_trace_and_span() -> None:
    assert read_traceparent(checked_traceparent(f" {HEADER} ")) == (TRACE, SPAN)
