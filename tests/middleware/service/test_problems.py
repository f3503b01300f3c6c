"""Every error is a problem document, and tells nothing that it should not."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from fake_models import fake_pipeline, fakes
from live_service import eventually, serving

from grice.middleware.service.http.app import create_app
from grice.middleware.service.json_log import JsonLines
from grice.middleware.settings import PipelineSettings, ServiceSettings
from grice.middleware.turns.pipeline import Pipeline

POSTS = ("/v1/directness", "/v1/rewrite", "/v1/turns")
JSON = {"content-type": "application/json"}
MEMBERS = {"type", "title", "status", "detail", "instance", "errors", "request_id"}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes())) as client:
        yield client


def problem(response: httpx.Response, status: int, kind: str) -> dict[str, object]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, object] = response.json()
    assert set(found) == MEMBERS
    assert found["status"] == status
    assert found["type"] == f"urn:grice:problem:{kind}"
    assert found["request_id"] == response.headers["x-request-id"]
    assert "Traceback" not in response.text
    return found


def errors(found: dict[str, object]) -> dict[str, str]:
    return {error["pointer"]: error["detail"] for error in found["errors"]}  # type: ignore[attr-defined]


def test_unknown_paths(client: httpx.Client) -> None:
    for path in (
        "/page/",
        "/page/nothing.js",
        "/page/..%2fapp.py",
        "/v1",
        "/v1/turns/",
        "/v1/nothing",
        "/v2/turns",
        "/%ff",
        "/v1/dialogues/",
        "/v1/dialogues/a/b",
    ):
        found = problem(client.get(path), 404, "not-found")
        assert str(found["instance"]).startswith("/")


def test_wrong_methods(client: httpx.Client) -> None:
    for method, path in (("GET", "/v1/turns"), ("POST", "/health/live"), ("PUT", "/v1/dialogues/a"), ("BREW", "/v1/rewrite")):
        response = client.request(method, path)
        problem(response, 405, "method-not-allowed")
        assert response.headers["allow"]


def test_json_with_parameters_is_json(client: httpx.Client) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON", "application/vnd.grice+json"):
        assert client.post("/v1/turns", content=b'{"text": "Hello."}', headers={"content-type": kind}).status_code == 200


def test_unknown_and_impossible_dialogues(client: httpx.Client) -> None:
    for method in ("GET", "DELETE"):
        problem(client.request(method, "/v1/dialogues/nobody"), 404, "unknown-dialogue")
        assert "dialogue_id" in errors(problem(client.request(method, "/v1/dialogues/a%20b"), 422, "invalid-request"))


def test_bodies_that_are_too_large(client: httpx.Client) -> None:
    body = json.dumps({"text": "x" * 10_000_000}).encode()
    found = problem(client.post("/v1/turns", content=body, headers=JSON), 413, "body-too-large")
    assert "1000000 bytes" in str(found["detail"])

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(body), 100_000):
            yield body[start : start + 100_000]

    problem(client.post("/v1/turns", content=chunks(), headers=JSON), 413, "body-too-large")
    assert client.get("/health/live").status_code == 200


def test_an_endless_body_is_refused_while_it_is_sent(client: httpx.Client) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 65_536

    problem(client.post("/v1/turns", content=endless(), headers=JSON), 413, "body-too-large")
    assert sent < 1000


def test_a_failing_model(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(create_app(fakes())) as client:
        for path in ("/v1/directness", "/v1/rewrite"):
            found = problem(client.post(path, json={"text": "poison secret words"}), 500, "internal")
            assert "secret" not in str(found)
    lines = [
        JsonLines().format(record) for record in caplog.records if record.name.startswith(("grice.middleware.service", "uvicorn"))
    ]
    assert "RuntimeError" in "".join(lines)
    assert not any("secret" in line or "Traceback" in line for line in lines)
    assert "secret" not in "".join(capfd.readouterr())


def test_a_failing_model_lets_the_conversation_go_on(client: httpx.Client) -> None:
    items = [{"text": "I wish."}, {"text": "I wish for poison.", "dialogue_id": "poisoned"}, {"text": "Book it."}]
    rows = client.post("/v1/turns", json={"items": items}).json()["items"]
    assert [(row["decision"], row["reason"]) for row in rows] == [("rewrite", "indirect"), ("pass", "failed"), ("pass", "direct")]
    assert rows[1]["text"] == "I wish for poison."
    assert [(failure["stage"], failure["error"]) for failure in rows[1]["failures"]] == [("directness", "RuntimeError")]
    assert len(client.get("/v1/dialogues/poisoned").json()["turns"]) == 1


def test_a_late_model(client: httpx.Client) -> None:
    pipeline = fake_pipeline(PipelineSettings(deadline_ms=30))
    pipeline.directness.gate.clear()  # type: ignore[attr-defined]
    with serving(create_app(fakes(pipeline))) as client:
        row = client.post("/v1/turns", json={"text": "I wish."}).json()
        pipeline.directness.gate.set()  # type: ignore[attr-defined]
    assert (row["decision"], row["reason"], row["text"]) == ("pass", "failed", "I wish.")
    assert row["failures"][0]["error"] == "DeadlineExceeded"


def test_a_caller_that_leaves_is_dropped() -> None:
    pipeline: Pipeline = fake_pipeline()
    fake = pipeline.directness
    fake.gate.clear()  # type: ignore[attr-defined]
    with serving(create_app(fakes(pipeline))) as client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, "/v1/directness", json={"text": "first"})
        eventually(lambda: fake.batches != [])  # type: ignore[attr-defined]
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{client.base_url}/v1/directness", json={"text": "left"}, timeout=0.2, trust_env=False)
        eventually(lambda: 'route="/v1/directness",status="499"} 1.0' in client.get("/metrics").text)
        fake.gate.set()  # type: ignore[attr-defined]
        assert first.result().status_code == 200
        client.post("/v1/directness", json={"text": "next"})
    assert [[d.last.text for d in batch] for batch in fake.batches] == [["first"], ["next"]]  # type: ignore[attr-defined]


def test_api_keys() -> None:
    app = create_app(fakes(), ServiceSettings(api_keys=("first-key-of-two", "second-key-of-two")))
    with serving(app) as client:
        for headers in (
            {},
            {"authorization": "Bearer third"},
            {"authorization": "first-key-of-two"},
            {"authorization": "Basic first-key-of-two"},
        ):
            for response in (client.post("/v1/turns", content=b"{", headers=headers), client.get("/v1/models", headers=headers)):
                problem(response, 401, "unauthorized")
                assert response.headers["www-authenticate"] == "Bearer"
        for key in ("first-key-of-two", "second-key-of-two"):
            headers = {"authorization": f"Bearer {key}"}
            assert client.post("/v1/turns", json={"text": "a"}, headers=headers).status_code == 200
        assert client.get("/health/ready").status_code == 200
        assert client.get("/openapi.json").json()["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
