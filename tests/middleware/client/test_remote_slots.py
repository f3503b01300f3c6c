"""The slot-value resolver behind the REST service, against the real service and against answers that misbehave."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_models import FakeSlots, fakes
from live_service import serving
from loopback_server import items_of, loopback, saying

from grice.middleware.capabilities.slots import SLOTS, Questions, Reports, SlotReporter
from grice.middleware.client import Remote, RemoteService, RemoteSettings
from grice.middleware.service.http.app import create_app
from grice.models.dialogue import Dialogue
from grice.models.errors import ServiceError
from grice.models.slots.questions import SlotQuestion

SOUTH = Dialogue.of("Down south.", [("bot", "Something cheap?")])
SURE = {"name": "price", "value": "cheap", "ambiguous": False, "not_mentioned": 0.1, "probabilities": {"cheap": 0.8, "dear": 0.1}}
UNKNOWN = {"name": "price", "value": None, "ambiguous": None, "not_mentioned": None, "probabilities": None}
FAILURE = {"stage": "slots", "error": "RuntimeError", "message": "slot price: down"}
LATE = {"stage": "store", "error": "StoreError", "message": "late"}


def price(dialogue: Dialogue = SOUTH, name: str = "price") -> SlotQuestion:
    return SlotQuestion(dialogue, name, "what it costs", ("cheap", "dear"))


def area(dialogue: Dialogue = SOUTH, name: str = "area") -> SlotQuestion:
    return SlotQuestion(dialogue, name, "part of town", ("north", "south", "east"))


def remote(url: str) -> Remote[Questions, Reports]:
    return Remote(SLOTS, RemoteService(RemoteSettings(url, deadline_ms=20_000), probe_every_s=0.05))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(create_app(fakes(slots=SlotReporter(FakeSlots())))) as client:
        yield str(client.base_url)


def test_it_reports_as_the_one_in_process_does(url: str) -> None:
    other = Dialogue.of("north or east, poison?")
    north = Dialogue.of("north or east")
    asked = [(price(), area(), area(name="broken")), (area(north),), (price(other), area(other))] * 30
    assert remote(url).predict(asked) == SlotReporter(FakeSlots()).predict(asked)
    assert remote(url).predict([]) == []


def test_questions_about_one_turn_are_asked_together() -> None:
    with loopback(saying({"items": [{"slots": [SURE] * 3, "failures": []}], "schema_version": 1})) as server:
        (reports,) = remote(server.url).predict([(price(),) * 3])
    assert [report.found.value for report in reports if report.found] == ["cheap"] * 3
    (request,) = server.requests
    assert request.startswith(b"POST /v1/slots ")
    (item,) = items_of(request)
    assert item["turns"] == [{"speaker": "bot", "text": "Something cheap?"}, {"speaker": "user", "text": "Down south."}]
    assert item["slots"] == [{"name": "price", "description": "what it costs", "values": ["cheap", "dear"]}] * 3


def test_a_failure_is_that_of_its_slot() -> None:
    row = {"slots": [SURE, UNKNOWN], "failures": [FAILURE, LATE]}
    with loopback(saying({"items": [row], "schema_version": 1})) as server:
        ((sure, unknown),) = remote(server.url).predict([(price(), price())])
    assert (sure.failures, unknown.found) == ((), None)
    assert [failure.message for failure in unknown.failures] == ["slot price: down"]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"slots": [], "failures": []}, "slots"),
        ({"slots": [{**SURE, "name": "area"}], "failures": []}, "name"),
        ({"slots": [{**SURE, "value": "free"}], "failures": []}, "value"),
        ({"slots": [{**SURE, "probabilities": {"cheap": 1.0}}], "failures": []}, "probabilities"),
        ({"slots": [{**SURE, "probabilities": {"cheap": 1.2, "dear": 0}}], "failures": []}, "cheap"),
        ({"slots": [{**SURE, "ambiguous": "no"}], "failures": []}, "ambiguous"),
        ({"slots": [UNKNOWN], "failures": []}, "failures"),
        ({"slots": [SURE], "failures": [FAILURE]}, "failures"),
        ([], "slots"),
    ],
)
def test_an_answer_of_another_shape_is_an_error(row: object, what: str) -> None:
    with loopback(saying({"items": [row], "schema_version": 1})) as server, pytest.raises(ServiceError, match=f"answered {what}:"):
        remote(server.url).predict([(price(),)])


def test_what_the_service_refuses_is_told(url: str) -> None:
    with pytest.raises(ServiceError, match="422: value of slot price: got 'α'; allowed: a value with Latin letters"):
        remote(url).predict([(SlotQuestion(SOUTH, "price", "what it costs", ("α", "β")),)])


def test_a_service_without_a_resolver_says_so_and_is_asked_again() -> None:
    with serving(create_app(fakes())) as client:
        slots = remote(str(client.base_url))
        for _ in range(2):
            with pytest.raises(ServiceError, match="501: No slot resolver is loaded here"):
                slots.predict([(price(),)])
        assert not slots.service.breaker.is_open
