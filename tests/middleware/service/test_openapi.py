"""The documentation says what the service does: its examples work, and its schemas fit the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import all_fakes
from live_service import serving
from plain_nlu_server import nlu_server

from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.service.capabilities.route import answer_of, examples_of, route_of
from grice.middleware.service.http.app import create_app
from grice.middleware.service.http.openapi import EVERYWHERE
from grice.middleware.settings import ServiceSettings
from grice.models.schema import BotSchema

ROUTES = {
    ("get", "/v1/dialogues/{dialogue_id}"): "read_dialogue",
    ("delete", "/v1/dialogues/{dialogue_id}"): "delete_dialogue",
    ("get", "/v1/schemas"): "list_schemas",
    ("put", "/v1/schemas/{schema_id}"): "put_schema",
    ("get", "/v1/schemas/{schema_id}"): "read_schema",
    ("delete", "/v1/schemas/{schema_id}"): "delete_schema",
    ("get", "/v1/models"): "list_models",
    ("get", "/v1/behaviors"): "list_behaviors",
    ("get", "/v1/rates"): "read_rates",
    ("get", "/v1/alarms"): "read_alarms",
    ("post", "/v1/alarms/{place}/feedback"): "judge_alarm",
    ("get", "/v1/alarms/feedback"): "export_feedback",
    ("get", "/v1/alerts"): "read_alerts",
    ("get", "/v1/rates/history"): "read_rate_history",
    ("get", "/v1/rates/comparison"): "compare_versions",
    ("post", "/v1/schemas"): "read_menu",
    ("get", "/v1/live"): "watch_live",
    ("post", "/model/parse"): "parse",
    ("post", "/beta/litellm_basic_guardrail_api"): "guard_litellm",
    ("post", "/classify"): "classify",
    ("post", "/v1/responses"): "score_responses",
    ("post", "/v1/events"): "keep_events",
    ("post", "/v1/directness"): "score_directness",
    ("post", "/v1/rewrite"): "rewrite",
    ("post", "/v1/meaning"): "read_meaning",
    ("post", "/v1/intentions"): "detect_intentions",
    ("post", "/v1/mind"): "read_minds",
    ("post", "/v1/slots"): "resolve_slots",
    ("post", "/v1/turns"): "analyse_turns",
    ("get", "/health/live"): "live",
    ("get", "/health/ready"): "ready",
    ("get", "/metrics"): "metrics",
}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with nlu_server() as nlu:
        settings = ServiceSettings(nlu_url=nlu.url)
        app = create_app(all_fakes(), settings)
        with serving(app) as client:
            yield client


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


SNAPSHOT = Path(__file__).parent / "openapi.json"
"""What the service has promised. Write it anew only for a change that callers are told of."""


def test_the_document_is_what_was_promised(document: dict[str, Any]) -> None:
    promised = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    assert document["paths"] == promised["paths"]
    assert document["components"]["schemas"] == promised["components"]["schemas"]
    assert document == promised


def operations(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(method, path): each for path, methods in document["paths"].items() for method, each in methods.items()}


def in_place(path: str, place: str = "1-1") -> str:
    """The path with some name in it, where it takes one."""
    return path.replace("{dialogue_id}", "anybody").replace("{schema_id}", "kayaks").replace("{place}", place)


def test_every_route_has_a_name_a_tag_and_a_summary(document: dict[str, Any]) -> None:
    found = operations(document)
    assert {key: operation["operationId"] for key, operation in found.items()} == ROUTES
    tags = {tag["name"] for tag in document["tags"]}
    for operation in found.values():
        assert operation["summary"]
        assert set(operation["tags"]) <= tags


def test_every_example_works(client: httpx.Client, document: dict[str, Any]) -> None:
    client.post("/v1/responses", json={"text": "That is Red."})
    place = client.get("/v1/alarms").json()["alarms"][0]["place"]
    posted = 0
    for (method, path), operation in operations(document).items():
        if "requestBody" in operation:
            for name, example in operation["requestBody"]["content"]["application/json"]["examples"].items():
                response = client.request(method, in_place(path, place), json=example["value"])
                assert response.status_code == 200, (path, name, response.text)
                assert ("items" in response.json()) == ("items" in example["value"])
                posted += 1
    assert posted == 43


def without_null(value: Any) -> Any:
    if isinstance(value, list):
        return [without_null(each) for each in value]
    if isinstance(value, dict):
        return {name: without_null(each) for name, each in value.items() if each is not None}
    return value


def test_examples_of_answers_have_the_shape_of_answers(document: dict[str, Any]) -> None:
    for capability in CAPABILITIES:
        example = examples_of(capability.name)["answer"]
        assert answer_of(route_of(capability)).model_validate(example).model_dump() == example
        answered = document["paths"][capability.path]["post"]["responses"]["200"]["content"]["application/json"]
        assert answered["example"] == without_null(example)  # FastAPI drops null


def test_the_example_of_a_stored_schema_is_what_comes_back(client: httpx.Client) -> None:
    examples = examples_of("schemas")
    sent = examples["requests"]["kayaks"]["value"]
    assert client.put("/v1/schemas/kayaks", json=sent).json() == examples["answer"]
    assert client.get("/v1/schemas/kayaks").json() == BotSchema.of(sent).as_dict()


def test_problems_are_documented(document: dict[str, Any]) -> None:
    for (_, path), operation in operations(document).items():
        wrong = {int(status): response for status, response in operation["responses"].items() if int(status) >= 400}
        if path == "/health/ready":  # its 503 is an answer, not a problem
            assert wrong.pop(503)["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Ready"}
        assert {401, 403, 421, 429, 500} <= set(wrong), path
        for response in wrong.values():
            assert set(response["content"]) == {"application/problem+json"}
            assert response["content"]["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/ProblemDetails"}
        if path in ("/v1/directness", "/v1/rewrite", "/v1/turns", "/v1/events"):
            assert set(wrong) == {*EVERYWHERE, 413, 415, 422, 503}
        if path in ("/v1/responses", "/v1/slots", "/v1/meaning", "/v1/intentions", "/v1/mind"):
            assert set(wrong) == {*EVERYWHERE, 413, 415, 422, 501, 503}
        if path == "/v1/schemas/{schema_id}" and "requestBody" in operation:
            assert set(wrong) == {*EVERYWHERE, 409, 413, 415, 422, 503}
        if path == "/model/parse":
            assert set(wrong) == {*EVERYWHERE, 413, 415, 422, 501, 502, 503, 504}


def test_every_field_is_described(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        for field, entry in schema.get("properties", {}).items():
            assert "description" in entry or "$ref" in entry or "const" in entry, (name, field)


def test_unknown_fields_are_documented_as_refused(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name in (
        "TurnItem",
        "DirectnessItem",
        "RewriteItem",
        "EventItem",
        "ResponseItem",
        "IntentionItem",
        "MindItem",
        "SlotItem",
        "MeaningItem",
        "WireSlot",
        "WireTurn",
        "Batch_TurnItem_",
        "WireSchema",
        "WireIntentSpec",
        "WireSlotSpec",
    ):
        assert schemas[name]["additionalProperties"] is False


def test_no_default_is_a_list_or_an_object(document: dict[str, Any]) -> None:
    """Generated clients would send its text, such as "[]", with their first call."""
    for name, schema in document["components"]["schemas"].items():
        for field, entry in schema.get("properties", {}).items():
            assert not isinstance(entry.get("default"), (list, dict)), (name, field)


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"text": "a"}, True),
        ({"turns": []}, True),
        ({"text": None, "turns": []}, True),
        ({"text": "a", "turns": []}, False),
        ({"text": None}, False),
        ({}, False),
    ],
)
def test_exactly_one_of_text_and_turns_is_in_the_schema(document: dict[str, Any], given: dict[str, object], fits: bool) -> None:
    kinds = {"string": str, "array": list}
    for capability in CAPABILITIES:
        schema = document["components"]["schemas"][route_of(capability).item.__name__]
        one_of, *_ = [part["oneOf"] for part in schema["allOf"] if "oneOf" in part]
        matches = [
            all(name in given for name in part["required"])
            and all(isinstance(given[name], kinds[each["type"]]) for name, each in part["properties"].items())
            for part in one_of
        ]
        assert (matches.count(True) == 1) == fits


@pytest.mark.parametrize(("given", "fits"), [(("schema",), 1), (("schema_id",), 1), (("schema", "schema_id"), 2), ((), 0)])
def test_exactly_one_menu_is_in_the_schema(document: dict[str, Any], given: tuple[str, ...], fits: int) -> None:
    *_, of_menu = document["components"]["schemas"]["MeaningItem"]["allOf"]
    assert sum(set(part["required"]) <= set(given) for part in of_menu["oneOf"]) == fits


def test_every_route_says_which_methods_it_answers(client: httpx.Client, document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        response = client.options(in_place(path))
        assert response.status_code == 405, path
        assert set(response.headers["allow"].split(", ")) == {method.upper() for method in methods}, path
