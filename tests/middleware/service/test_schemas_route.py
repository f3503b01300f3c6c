"""Stored schemas over HTTP: with memory and with a real Redis, by hand and with the client, and for items that name one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import fakes
from fastapi import FastAPI, Request
from live_service import RedisServer, serving
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool

from grice.middleware.client import RemoteService, RemoteSettings
from grice.middleware.service.capabilities.menu import SchemaChoice, schemas_of
from grice.middleware.service.capabilities.wire import UserItem
from grice.middleware.service.engine import EngineOf
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.errors import InputError, ServiceError
from grice.models.schema import MOST_EXAMPLES, BotSchema

KAYAKS: dict[str, Any] = {
    "intents": [{"name": "rent", "description": "rent a kayak", "examples": ["a kayak, s'il vous plaît"], "slots": ["size"]}],
    "slots": {"size": {"description": "how large", "values": ["small", "large"]}, "name": None},
    "services": {"boats": "all that floats"},
}
MENU = BotSchema.of(KAYAKS)


class MenuItem(UserItem, SchemaChoice):
    """A user turn with a menu, as a capability of menus reads it."""


MENU_ITEMS = TypeAdapter(list[MenuItem])


def with_menus(app: FastAPI) -> FastAPI:
    """The application with a route that says which menu each item has."""

    @app.post("/menus")
    async def menus(request: Request, engine: EngineOf) -> list[str | None]:
        items = MENU_ITEMS.validate_python(await request.json())
        found = await schemas_of(engine, items, run_in_threadpool)
        return [None if schema is None else schema.fingerprint for schema in found]

    return app


@pytest.fixture(params=["memory", "redis"])
def settings(request: pytest.FixtureRequest) -> ServiceSettings:
    if request.param == "memory":
        return ServiceSettings(max_schemas=2)
    server: RedisServer = request.getfixturevalue("redis_server")
    return ServiceSettings(max_schemas=2, store="redis", redis_url=server.url, store_timeout_ms=5000)


@pytest.fixture
def client(settings: ServiceSettings) -> Iterator[httpx.Client]:
    with serving(with_menus(create_app(fakes(), settings))) as client:
        yield client


def problem(response: httpx.Response, status: int, kind: str) -> str:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found["type"] == f"urn:grice:problem:{kind}"
    return str(found["detail"])


def test_put_get_list_delete(client: httpx.Client) -> None:
    assert client.get("/v1/schemas").json() == {"schemas": [], "schema_version": 1}
    answer = {"schema_id": "kayaks", "fingerprint": MENU.fingerprint}
    for _ in range(2):
        assert client.put("/v1/schemas/kayaks", json=KAYAKS).json() == {**answer, "schema_version": 1}
    found = client.get("/v1/schemas/kayaks")
    assert BotSchema.of(found.json()) == MENU
    assert found.headers["etag"] == f'"{MENU.fingerprint}"'
    assert client.get("/v1/schemas").json() == {"schemas": [answer], "schema_version": 1}
    assert client.delete("/v1/schemas/kayaks").status_code == 204
    for method in ("GET", "DELETE"):
        assert "PUT /v1/schemas/kayaks stores one" in problem(client.request(method, "/v1/schemas/kayaks"), 404, "unknown-schema")


def test_a_full_store_answers_409(client: httpx.Client) -> None:
    for name in "ab":
        assert client.put(f"/v1/schemas/{name}", json=KAYAKS).status_code == 200
    assert "GRICE_MAX_SCHEMAS" in problem(client.put("/v1/schemas/c", json=KAYAKS), 409, "store-full")
    assert client.put("/v1/schemas/b", json=KAYAKS).status_code == 200


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"intent": []}, "#/intent"),
        ({"intents": [{"description": "x"}]}, "#/intents/0/name"),
        ({"intents": [{"name": "a", "examples": [1]}]}, "#/intents/0/examples/0"),
        ({"intents": [{"name": "a", "examples": ["x"] * (MOST_EXAMPLES + 1)}]}, "#/intents/0/examples"),
        ({"slots": {"a": {"values": "x"}}}, "#/slots/a/values"),
        ({"slots": []}, "#/slots"),
        ([], "#"),
    ],
)
def test_a_body_of_another_shape(client: httpx.Client, body: object, pointer: str) -> None:
    response = client.put("/v1/schemas/a", json=body)
    problem(response, 422, "invalid-request")
    assert pointer in [error["pointer"] for error in response.json()["errors"]]


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({}, "no intent and no slot"),
        ({"intents": [{"name": "a", "slots": ["b"]}]}, "slot of intent a: got 'b'"),
        ({"intents": [{"name": "a"}, {"name": "a"}]}, "each name once"),
        ({"slots": {" ": None}}, "not blank"),
    ],
)
def test_parts_that_do_not_fit_together(client: httpx.Client, body: object, detail: str) -> None:
    assert detail in problem(client.put("/v1/schemas/a", json=body), 422, "invalid-value")


def test_the_same_limits_as_elsewhere(client: httpx.Client) -> None:
    for name in ("a%20b", "-a", "x" * 101):
        for method in ("PUT", "GET", "DELETE"):
            response = client.request(method, f"/v1/schemas/{name}", json=KAYAKS if method == "PUT" else None)
            problem(response, 422, "invalid-request")
            assert response.json()["errors"][0]["pointer"] == "schema_id"
    problem(client.put("/v1/schemas/a", content=b"{}"), 415, "not-json")
    problem(client.put("/v1/schemas/a", content=b"{", headers={"content-type": "application/json"}), 422, "malformed-json")
    problem(client.put("/v1/schemas/a", json={"slots": {"a": {"description": "x" * 1_000_000}}}), 413, "body-too-large")
    assert client.request("POST", "/v1/schemas/a").headers["allow"] == "GET, DELETE, PUT"
    assert 'grice_requests_total{method="PUT",route="/v1/schemas/{schema_id}",status="415"}' in client.get("/metrics").text


def test_keys_are_asked_for() -> None:
    with serving(create_app(fakes(), ServiceSettings(api_keys=("open-sesame-open",)))) as client:
        for method, path in (("GET", ""), ("PUT", "/a"), ("GET", "/a"), ("DELETE", "/a")):
            problem(client.request(method, f"/v1/schemas{path}"), 401, "unauthorized")
        assert client.get("/v1/schemas", headers={"authorization": "Bearer open-sesame-open"}).status_code == 200


def test_a_redis_that_is_down(redis_server: RedisServer) -> None:
    settings = ServiceSettings(store="redis", redis_url=redis_server.url)
    with serving(with_menus(create_app(fakes(), settings))) as client:
        redis_server.kill()
        for method, path in (("GET", ""), ("PUT", "/a"), ("GET", "/a"), ("DELETE", "/a")):
            response = client.request(method, f"/v1/schemas{path}", json=KAYAKS if method == "PUT" else None)
            problem(response, 503, "store-unavailable")
            assert response.headers["retry-after"]
        problem(client.post("/menus", json=[{"text": "hi", "schema_id": "a"}]), 503, "store-unavailable")


def test_two_services_share_what_redis_keeps(redis_server: RedisServer) -> None:
    settings = ServiceSettings(store="redis", redis_url=redis_server.url)
    with serving(create_app(fakes(), settings)) as one, serving(with_menus(create_app(fakes(), settings))) as other:
        one.put("/v1/schemas/kayaks", json=KAYAKS)
        assert other.post("/menus", json=[{"text": "hi", "schema_id": "kayaks"}]).json() == [MENU.fingerprint]


def test_items_with_a_schema_with_the_name_of_one_and_with_none(client: httpx.Client) -> None:
    client.put("/v1/schemas/kayaks", json=KAYAKS)
    own = {"slots": {"city": None}}
    items = [
        {"text": "a", "schema_id": "kayaks"},
        {"text": "b", "schema": own},
        {"text": "c"},
        {"text": "d", "schema_id": "kayaks"},
    ]
    found = client.post("/menus", json=items).json()
    assert found == [MENU.fingerprint, BotSchema.of(own).fingerprint, None, MENU.fingerprint]


def test_items_whose_menu_cannot_be_had(client: httpx.Client) -> None:
    unknown = client.post("/menus", json=[{"text": "a", "schema_id": "nobody"}])
    assert "There is no schema nobody" in problem(unknown, 422, "unknown-schema")
    problem(client.post("/menus", json=[{"text": "a", "schema": {}}]), 422, "invalid-value")
    with pytest.raises(ValueError, match="give at most one of schema and schema_id"):
        MENU_ITEMS.validate_python([{"text": "a", "schema": KAYAKS, "schema_id": "kayaks"}])
    with pytest.raises(ValueError, match="schema_id"):
        MENU_ITEMS.validate_python([{"text": "a", "schema_id": "a b"}])


def test_the_client(client: httpx.Client) -> None:
    service = RemoteService(RemoteSettings(str(client.base_url).rstrip("/"), deadline_ms=20_000))
    assert service.get_schema("kayaks") is None
    assert not service.delete_schema("kayaks")
    assert service.put_schema("kayaks", MENU) == MENU.fingerprint
    assert service.get_schema("kayaks") == MENU
    service.put_schema("other", MENU)
    with pytest.raises(ServiceError, match="/v1/schemas/third answered 409: 2 schemas are stored"):
        service.put_schema("third", MENU)
    assert not service.breaker.is_open
    assert service.delete_schema("kayaks")
    for work in (service.get_schema, service.delete_schema):
        with pytest.raises(InputError, match="schema_id: got 'a/b'"):
            work("a/b")
