"""The service with a real Redis that comes and goes."""

from __future__ import annotations

import httpx
from fake_models import fakes
from fastapi import FastAPI
from live_service import RedisServer, serving

from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.middleware.stores import MemoryStore
from grice.models.dialogue import Turn
from grice.models.errors import StoreError


def application(server: RedisServer) -> FastAPI:
    settings = ServiceSettings(store="redis", redis_url=server.url)
    return create_app(fakes(), settings)


def say(client: httpx.Client, text: str, dialogue_id: str = "d") -> dict[str, object]:
    response = client.post("/v1/turns", json={"text": text, "dialogue_id": dialogue_id})
    assert response.status_code == 200, response.text
    answer: dict[str, object] = response.json()
    return answer


def failed_stages(answer: dict[str, object]) -> list[tuple[str, str]]:
    return [(failure["stage"], failure["error"]) for failure in answer["failures"]]  # type: ignore[attr-defined]


def history_read(answer: dict[str, object]) -> int:
    count: int = answer["directness"]["history_read"]  # type: ignore[index]
    return count


def readiness(client: httpx.Client) -> tuple[int, str, bool]:
    response = client.get("/health/ready")
    state = response.json()
    return response.status_code, state["status"], state["store"]["reachable"]


def check_degraded(client: httpx.Client) -> None:
    answer = say(client, "I wish.")
    assert (answer["decision"], answer["text"]) == ("rewrite", "I wish. please: I wish.")
    assert failed_stages(answer) == [("store", "StoreError")]
    assert readiness(client) == (200, "degraded", False)
    assert client.get("/health/live").status_code == 200
    rows = client.post("/v1/turns", json={"items": [{"text": "a", "dialogue_id": "d"}, {"text": "b"}]}).json()["items"]
    assert [failed_stages(row) for row in rows] == [[("store", "StoreError")], []]
    score = client.post("/v1/directness", json={"text": "a", "dialogue_id": "d"}).json()
    assert failed_stages(score) == [("store", "StoreError")]
    for method in ("GET", "DELETE"):
        response = client.request(method, "/v1/dialogues/d")
        assert response.status_code == 503
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["type"] == "urn:grice:problem:store-unavailable"
        assert response.headers["retry-after"]


def test_a_redis_that_answers_and_refuses_writes(redis_server: RedisServer) -> None:
    with serving(application(redis_server)) as client, redis_server.client() as redis:
        redis.config_set("min-replicas-to-write", 1)
        assert redis.ping()
        assert readiness(client) == (200, "degraded", False)
        redis.config_set("min-replicas-to-write", 0)
        assert readiness(client) == (200, "ready", True)


def test_servers_of_events_are_tried_too_each_of_them(redis_server: RedisServer) -> None:
    """The first of two takes writes; the second, another server in truth, is away or refuses them."""
    other = RedisServer(redis_server.binary, redis_server.folder)
    other.start()
    try:
        urls = f"{redis_server.url} {other.url}"
        settings = ServiceSettings(events_stream="grice:events", events_redis_url=urls, store_timeout_ms=5000)
        with serving(create_app(fakes(), settings)) as client, other.client() as redis:

            def told() -> tuple[int, str, object]:
                response = client.get("/health/ready")
                return response.status_code, response.json()["status"], response.json()["events_reachable"]

            assert told() == (200, "ready", True)
            redis.config_set("min-replicas-to-write", 1)
            assert told() == (200, "degraded", False)
            redis.config_set("min-replicas-to-write", 0)
            assert told() == (200, "ready", True)
            other.kill()
            assert told() == (200, "degraded", False)
    finally:
        other.kill()


def test_a_redis_that_dies_and_returns(redis_server: RedisServer) -> None:
    with serving(application(redis_server)) as client:
        assert failed_stages(say(client, "Hello.")) == []
        assert history_read(say(client, "Hello again.")) == 1
        assert readiness(client) == (200, "ready", True)
        redis_server.kill()
        check_degraded(client)
        redis_server.start()
        assert readiness(client) == (200, "ready", True)
        answer = say(client, "Back.")
        assert (failed_stages(answer), history_read(answer)) == ([], 0)
        assert history_read(say(client, "Still here.")) == 1
        assert 'grice_stage_failures_total{error="StoreError",stage="store"}' in client.get("/metrics").text


def test_a_redis_that_is_down_at_the_start(redis_server: RedisServer) -> None:
    redis_server.kill()
    with serving(application(redis_server)) as client:
        check_degraded(client)
        redis_server.start()
        assert failed_stages(say(client, "Hello.")) == []
        assert readiness(client) == (200, "ready", True)


def test_two_services_share_a_dialogue(redis_server: RedisServer) -> None:
    with serving(application(redis_server)) as one, serving(application(redis_server)) as other:
        say(one, "Hello.")
        assert history_read(say(other, "Hello again.")) == 1
        assert other.delete("/v1/dialogues/d").status_code == 204
        assert one.get("/v1/dialogues/d").status_code == 404


class DownStore(MemoryStore):
    """Counts who asks, and is down."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def read(self, dialogue_id: str, last: int | None = None) -> tuple[Turn, ...]:
        self.asked += 1
        raise StoreError("down")


def test_a_store_that_is_down_is_asked_once_a_request() -> None:
    store = DownStore()
    with serving(create_app(fakes(), store=store)) as client:
        items = [{"text": "a", "dialogue_id": str(number)} for number in range(64)]
        rows = client.post("/v1/turns", json={"items": items}).json()["items"]
    assert [failed_stages(row) for row in rows] == [[("store", "StoreError")]] * 64
    assert store.asked == 1
