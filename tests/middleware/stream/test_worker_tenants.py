"""Tenants whose dialogues and events have the same names, scored by one worker."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
from fake_models import FakeBehaviors, fake_monitor, fakes
from live_service import eventually, serving
from redis_process import RedisServer
from worker_fixtures import drained, publish, results, said

from grice.middleware.access import ApiKey, KeyFile, digest_of
from grice.middleware.rates.redis import RedisRates
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings

HOUR = 3600


def test_histories_ids_rates_and_results_are_the_tenants_own(redis_server: RedisServer) -> None:
    model, now = FakeBehaviors(), time.time()
    spoken = [
        said(0, text="I live here."),
        said(0, text="I live there.", tenant="acme"),
        said(1, text="That is Red.", timestamp=now),
        said(1, text="That is Ign.", timestamp=now, tenant="acme"),
        said(1, text="That is Ign.", timestamp=now, tenant="acme"),
    ]
    publish(redis_server, spoken)
    worker = drained(redis_server, model)
    assert (worker.counts.scored, worker.counts.duplicates) == (2, 1)
    seen = [[turn.text for turn in dialogue.turns] for batch in model.batches for dialogue in batch]
    assert seen == [["I live here.", "That is Red."], ["I live there.", "That is Ign."]]
    assert [(each.tenant, each.event_id, each.shown) for each in results(redis_server)] == [
        ("default", "d-1", ("Red",)),
        ("acme", "d-1", ("Ign",)),
    ]
    rates = RedisRates(redis_server.url, 5.0)
    assert rates.tenants() == ["acme"]
    for tenant, behavior in (("default", "Red"), ("acme", "Ign")):
        assert [(rate.behavior, rate.shown) for rate in rates.of(tenant).rates(HOUR) if rate.shown] == [(behavior, 1)]
    rates.close()


def test_what_is_read_from_before_is_the_default_tenants(redis_server: RedisServer) -> None:
    publish(redis_server, [said(1, text="That is Red.")])
    with redis_server.client() as redis:
        ((_, fields),) = redis.xrange("grice:events")
        assert b"tenant" not in fields[b"event"]
    drained(redis_server)
    with redis_server.client() as redis:
        ((_, fields),) = redis.xrange("grice:results")
        assert b"tenant" not in fields[b"response"]


def test_alarms_go_to_their_tenants_service_users(redis_server: RedisServer, tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "keys.json")
    for tenant in ("default", "acme"):
        file.add(ApiKey(tenant, digest_of(f"secret-of-{tenant}-here"), tenant, ("monitor",)))
    publish(redis_server, [said(1, text="Ours is Red."), said(1, text="Theirs is Ign.", tenant="acme")])
    drained(redis_server)
    settings = ServiceSettings(store="redis", redis_url=redis_server.url, keys_file=str(file.path))
    with serving(create_app(fakes(responses=fake_monitor()), settings)) as client:

        def alarms(tenant: str) -> list[str]:
            headers = {"authorization": f"Bearer secret-of-{tenant}-here"}
            answer: httpx.Response = client.get("/v1/alarms", headers=headers)
            return [each["text"] for each in answer.json()["alarms"]]

        eventually(lambda: alarms("default") == ["Ours is Red."])
        eventually(lambda: alarms("acme") == ["Theirs is Ign."])
