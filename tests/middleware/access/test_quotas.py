"""How much a key may ask for: counted by one process, and by all that share a Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fake_models import Calls, FakeBehaviors, FakeDirectness, fakes
from live_service import serving
from redis_process import RedisServer, eventually

from grice.middleware.access import ApiKey, KeyFile, digest_of
from grice.middleware.access.quota import Quotas
from grice.middleware.access.redis_quota import KEY, RedisQuotas
from grice.middleware.monitor import Monitor
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.errors import QuotaExceeded, StoreError
from grice.models.results import BEHAVIORS

SECRET = "a-secret-of-the-test"


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "redis"])
def quotas(request: pytest.FixtureRequest) -> Iterator[Quotas]:
    shared = None
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        shared = RedisQuotas(server.url, 5.0)
    made = Quotas(shared)
    yield made
    made.close()


def key(name: str = "bot", secret: str = SECRET, **more: Any) -> ApiKey:
    return ApiKey(name, digest_of(secret), **more)


def refused(take: Callable[[], object]) -> float:
    """For how long."""
    with pytest.raises(QuotaExceeded) as caught:
        take()
    return caught.value.retry_after_s


def test_no_more_requests_than_a_minute_brings(quotas: Quotas) -> None:
    """Slowly filled: a test that takes long does not see it."""
    limited = key(requests_per_minute=1)
    quotas.take_request(limited)
    assert 1 <= refused(lambda: quotas.take_request(limited)) <= 60
    quotas.take_request(key("other", "another-secret-of-it", requests_per_minute=1))
    quotas.take_work(key(requests_per_minute=1, work_per_minute=1), 1)
    for _ in range(100):
        quotas.take_request(key("free", "a-third-secret-of-it"))


def test_work_may_be_overdrawn_once(quotas: Quotas) -> None:
    limited = key(work_per_minute=10)
    quotas.take_work(limited, 1000)
    assert 5000 < refused(lambda: quotas.take_work(limited, 1)) <= 5946


def test_a_new_limit_holds_at_once(quotas: Quotas) -> None:
    quotas.take_request(key(requests_per_minute=1))
    refused(lambda: quotas.take_request(key(requests_per_minute=1)))
    quotas.take_request(key(requests_per_minute=100))


def test_it_fills_evenly(clock: Clock) -> None:
    quotas, limited = Quotas(clock=clock), key(requests_per_minute=6)
    for _ in range(6):
        quotas.take_request(limited)
    assert refused(lambda: quotas.take_request(limited)) == 10
    clock.now += 9.9
    refused(lambda: quotas.take_request(limited))
    clock.now += 0.2
    quotas.take_request(limited)
    clock.now += 3600
    for _ in range(6):
        quotas.take_request(limited)
    refused(lambda: quotas.take_request(limited))


def test_it_fills_in_redis_and_is_forgotten_when_full(redis_server: RedisServer) -> None:
    shared = RedisQuotas(redis_server.url, 5.0)
    assert shared.wait_s("a", 60, 100) == 0
    wait_s = shared.wait_s("a", 60, 1)
    assert 0 < wait_s <= 41
    with redis_server.client() as redis:
        assert 41 < redis.ttl(KEY + "a") <= 101
        earlier = float(redis.hget(KEY + "a", "at")) - 60
        redis.hset(KEY + "a", "at", earlier)
    assert shared.wait_s("a", 60, 1) == 0
    shared.close()


def test_services_that_share_a_redis_count_together(redis_server: RedisServer, tmp_path: Any) -> None:
    file = KeyFile(tmp_path / "keys.json")
    file.add(key(requests_per_minute=2, work_per_minute=10))
    settings = ServiceSettings(store="redis", redis_url=redis_server.url, keys_file=str(file.path), store_timeout_ms=5000)
    headers = {"authorization": f"Bearer {SECRET}"}
    with serving(create_app(fakes(), settings)) as one, serving(create_app(fakes(), settings)) as other:
        assert one.post("/v1/turns", json={"text": "x" * 500}, headers=headers).status_code == 200
        refused = other.post("/v1/turns", json={"text": "a"}, headers=headers)
        assert (refused.status_code, refused.json()["type"]) == (429, "urn:grice:problem:quota-exceeded")
        assert "units of work" in refused.json()["detail"]
        refused = one.get("/v1/models", headers=headers)
        assert "2 requests" in refused.json()["detail"]


def test_a_redis_that_is_away_stops_nobody(redis_server: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    quotas, limited = Quotas(RedisQuotas(redis_server.url, 0.2)), key(requests_per_minute=1)
    redis_server.kill()
    quotas.take_request(limited)
    refused(lambda: quotas.take_request(limited))
    assert "counted by this process alone" in caplog.text
    with pytest.raises(StoreError):
        RedisQuotas(redis_server.url, 0.2).wait_s("a", 1, 1)
    redis_server.start()
    quotas.take_request(limited)
    quotas.close()


@pytest.mark.parametrize("queue", ["directness", "behaviors"])
def test_a_call_that_finds_no_room_uses_up_nothing(tmp_path: Path, queue: str) -> None:
    path = "/v1/directness" if queue == "directness" else "/v1/responses"
    directness, behaviors = FakeDirectness(), FakeBehaviors()
    held: Calls = directness if queue == "directness" else behaviors
    loaded = fakes(directness=directness, responses=Monitor(behaviors, dict.fromkeys(BEHAVIORS, 0.5)))
    file = KeyFile(tmp_path / "keys.json")
    file.add(key(work_per_minute=10))
    file.add(key("free", "another-secret-of-it"))
    mine, others = ({"authorization": f"Bearer {secret}"} for secret in (SECRET, "another-secret-of-it"))
    held.gate.clear()
    settings = ServiceSettings(keys_file=str(file.path), queue_size=64, batch_size=1)
    with serving(create_app(loaded, settings)) as client, ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(client.post, path, json={"text": "a"}, headers=others)]
        eventually(lambda: held.batches != [])
        waiting.append(pool.submit(client.post, path, json={"items": [{"text": "a"}] * 64}, headers=others))
        eventually(lambda: f'grice_queue_depth{{model="{queue}"}} 64.0' in client.get("/metrics").text)
        try:
            large = {"items": [{"text": "x" * 500}] * 40}  # a small one is refused before it is read
            found = [client.post(path, json=large, headers=mine).json()["type"] for _ in range(3)]
        finally:
            held.gate.set()
        assert found == ["urn:grice:problem:overloaded"] * 3
        assert [each.result().status_code for each in waiting] == [200, 200]
        assert client.post(path, json={"text": "x" * 500}, headers=mine).status_code == 200
        refused = client.post(path, json={"text": "a"}, headers=mine)
        assert refused.json()["type"] == "urn:grice:problem:quota-exceeded"
