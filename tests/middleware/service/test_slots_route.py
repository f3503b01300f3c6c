"""POST /v1/slots, on a real server with a fake resolver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import FakeSlots, fakes
from live_service import serving

from grice.middleware.capabilities.slots import SlotReporter
from grice.middleware.service.http.app import create_app
from grice.models.slots.resolver import load_slot_resolver

PRICE = {"name": "price", "description": "What it costs", "values": ["cheap", "dear"]}
AREA = {"name": "area", "description": "Part of town", "values": ["north", "south", "east"]}
BROKEN = {"name": "broken", "description": "Whatever", "values": ["a", "b"]}
BOT = {"speaker": "bot", "text": "Something cheap?"}
USER = {"speaker": "user", "text": "Yes, down south."}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(slots=SlotReporter(FakeSlots())))) as client:
        yield client


def resolve(client: httpx.Client, body: object) -> dict[str, Any]:
    response = client.post("/v1/slots", json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def values(row: dict[str, Any]) -> dict[str, Any]:
    return {slot["name"]: slot["value"] for slot in row["slots"]}


def test_several_slots_of_a_conversation(client: httpx.Client) -> None:
    assert resolve(client, {"turns": [BOT, USER], "slots": [AREA, PRICE]}) == {
        "slots": [
            {
                "name": "area",
                "value": "south",
                "ambiguous": False,
                "not_mentioned": 0.25,
                "probabilities": {"north": 0.0, "south": 0.75, "east": 0.0},
            },
            {
                "name": "price",
                "value": "cheap",
                "ambiguous": False,
                "not_mentioned": 0.25,
                "probabilities": {"cheap": 0.75, "dear": 0.0},
            },
        ],
        "failures": [],
    }


def test_what_is_ambiguous_and_what_is_not_mentioned(client: httpx.Client) -> None:
    area, price = resolve(client, {"text": "north or east", "slots": [AREA, PRICE]})["slots"]
    assert (area["value"], area["ambiguous"], area["probabilities"]["north"]) == (None, True, 0.375)
    assert (price["value"], price["ambiguous"], price["not_mentioned"]) == (None, False, 1.0)


def test_as_many_items_and_slots_as_are_allowed_in_order(client: httpx.Client) -> None:
    slots = [{**AREA, "name": f"area {number}"} for number in range(16)]
    items = [{"text": text, "slots": slots} for text in ("north", "south")] * 32
    answer = resolve(client, {"items": items})
    assert [set(values(row).values()) for row in answer["items"]] == [{"north"}, {"south"}] * 32
    assert list(values(answer["items"][0])) == [slot["name"] for slot in slots]


def test_a_kept_dialogue_is_read_and_stays_as_it_is(client: httpx.Client) -> None:
    client.post("/v1/turns", json={"dialogue_id": "kept", "text": "Hello."})
    asked = {"dialogue_id": "kept", "text": "Yes.", "slots": [PRICE]}
    assert values(resolve(client, asked)) == {"price": None}
    assert values(resolve(client, {**asked, "bot": "Something cheap?"})) == {"price": "cheap"}
    assert len(client.get("/v1/dialogues/kept").json()["turns"]) == 1
    client.post("/v1/responses", json={"dialogue_id": "kept", "text": "Something cheap?"})
    event = {"event_id": "b1", "dialogue_id": "kept", "speaker": "bot", "text": "Something dear?", "timestamp": 1.0}
    assert client.post("/v1/events", json=event).status_code == 200
    assert values(resolve(client, asked)) == {"price": "dear"}


def test_a_value_in_another_script_is_refused(client: httpx.Client) -> None:
    body = {"text": "a", "slots": [PRICE, {**AREA, "values": ["north", "αρκτικός"]}]}
    response = client.post("/v1/slots", json=body)
    assert (response.status_code, response.json()["type"]) == (422, "urn:grice:problem:invalid-value")
    assert response.json()["detail"] == "value of slot area: got 'αρκτικός'; allowed: a value with Latin letters or digits"


def test_a_resolver_that_fails_is_told_and_the_others_are_answered(client: httpx.Client) -> None:
    answer = resolve(client, {"items": [{"text": "south", "slots": [AREA, BROKEN]}, {"text": "poison", "slots": [AREA]}]})
    first, second = answer["items"]
    assert values(first) == {"area": "south", "broken": None}
    assert first["slots"][1] == {
        "name": "broken", "value": None, "ambiguous": None, "not_mentioned": None, "probabilities": None,
    }  # fmt: skip
    assert first["failures"] == [{"stage": "slots", "error": "RuntimeError", "message": "slot broken: out of order"}]
    assert [failure["message"] for failure in second["failures"]] == ["slot area: cannot read poison"]
    assert 'grice_stage_failures_total{error="RuntimeError",stage="slots"} 2.0' in client.get("/metrics").text


def test_the_shipped_resolver_answers() -> None:
    with serving(create_app(fakes(slots=SlotReporter(load_slot_resolver())))) as client:
        (price,) = resolve(client, {"text": "Good morning.", "slots": [PRICE]})["slots"]
        assert (price["value"], list(price["probabilities"])) == (None, ["cheap", "dear"])
        assert sum(price["probabilities"].values()) + price["not_mentioned"] == pytest.approx(1.0)
        (model,) = [model for model in client.get("/v1/models").json()["models"] if model["role"] == "slots"]
        assert (model["name"], list(model["sha256"])) == (
            "meaning",
            ["joint.int8.onnx.gz", "joint.int8.weights.npz", "tokenizer.json.gz", "trunk.int8.onnx.gz", "trunk.int8.weights.npz"],
        )
