"""Stores of schemas in memory and in Redis are held to the same contract."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from live_service import RedisServer

from grice.middleware.schemas.stores import SchemaStore, check_schema_id, open_schema_store
from grice.middleware.schemas.stores.redis import SCHEMAS
from grice.middleware.settings import ServiceSettings
from grice.models.errors import InputError, SettingsError, StoreError, StoreFull
from grice.models.schema import BotSchema

Make = Callable[[], SchemaStore]

KAYAKS = BotSchema.of({"intents": [{"name": "rent", "examples": ["ça va?", "你好"], "slots": ["size"]}], "slots": {"size": None}})
BOATS = BotSchema.of({"slots": {"size": {"values": ["small", "large"]}}})


@pytest.fixture(params=["memory", "redis"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes stores of three schemas."""
    settings = ServiceSettings(max_schemas=3)
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        settings = dataclasses.replace(settings, store="redis", redis_url=server.url)

    def made() -> SchemaStore:
        store = open_schema_store(settings)
        request.addfinalizer(store.close)
        return store

    return made


def test_a_schema_comes_back_and_is_replaced(make: Make) -> None:
    store = make()
    store.put("a", KAYAKS)
    assert store.read("a") == KAYAKS
    store.put("a", BOATS)
    assert store.read("a") == BOATS
    assert store.read("b") is None


def test_fingerprints_in_alphabetical_order(make: Make) -> None:
    store = make()
    assert store.fingerprints() == {}
    store.put("b", KAYAKS)
    store.put("a", BOATS)
    assert list(store.fingerprints().items()) == [("a", BOATS.fingerprint), ("b", KAYAKS.fingerprint)]


def test_what_is_deleted_is_forgotten(make: Make) -> None:
    store = make()
    store.put("a", KAYAKS)
    assert store.delete("a")
    assert not store.delete("a")
    assert store.read("a") is None
    assert store.fingerprints() == {}


def test_a_full_store_takes_no_new_name_until_one_is_deleted(make: Make) -> None:
    store = make()
    for name in "abc":
        store.put(name, KAYAKS)
    with pytest.raises(StoreFull, match="3 schemas are stored, as many as may be; delete one, or raise GRICE_MAX_SCHEMAS"):
        store.put("d", KAYAKS)
    store.put("c", BOATS)
    store.delete("a")
    store.put("d", BOATS)
    assert list(store.fingerprints()) == ["b", "c", "d"]


def test_many_at_once_do_not_pass_the_bound(make: Make) -> None:
    store = make()

    def put(number: int) -> bool:
        try:
            store.put(f"n{number}", KAYAKS)
        except StoreFull:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(put, range(24))) == 3
    assert len(store.fingerprints()) == 3


def test_two_processes_share_what_redis_keeps(redis_server: RedisServer) -> None:
    settings = ServiceSettings(store="redis", redis_url=redis_server.url)
    one, other = open_schema_store(settings), open_schema_store(settings)
    one.put("a", KAYAKS)
    assert other.read("a") == KAYAKS
    other.put("a", BOATS)
    assert one.read("a") == BOATS
    one.close()
    other.close()


def test_a_redis_that_is_down_or_holds_something_else(redis_server: RedisServer) -> None:
    store = open_schema_store(ServiceSettings(store="redis", redis_url=redis_server.url))
    with redis_server.client() as client:
        client.hset(SCHEMAS, "a", b"{}")
        client.hset(SCHEMAS, "b", b"no json")
    for name in "ab":
        with pytest.raises(StoreError, match="holds something else than a schema"):
            store.read(name)
    redis_server.kill()
    for work in (lambda: store.read("a"), lambda: store.put("a", KAYAKS), lambda: store.delete("a"), store.fingerprints):
        with pytest.raises(StoreError, match=r"Redis: .* failed"):
            work()
    store.close()


def test_a_url_that_cannot_be_read() -> None:
    with pytest.raises(SettingsError, match="redis_url"):
        open_schema_store(ServiceSettings(store="redis", redis_url="http://x"))


@pytest.mark.parametrize("name", ["a", "Kayaks_1.v-2", "x" * 100])
def test_names_that_can_be_used(name: str) -> None:
    assert check_schema_id(name) == name


@pytest.mark.parametrize("name", ["", "-a", "a b", "a/b", "a\n", "é", "x" * 101, None])
def test_names_that_cannot(name: object) -> None:
    with pytest.raises(InputError, match="schema_id: got"):
        check_schema_id(name)


def test_each_tenant_has_its_own(make: Make) -> None:
    store = make()
    one, other = store.of("acme"), store.of("beta")
    store.put("a", KAYAKS)
    one.put("a", BOATS)
    assert [each.read("a") for each in (store, one, other)] == [KAYAKS, BOATS, None]
    assert [list(each.fingerprints().values()) for each in (store, one, other)] == [[KAYAKS.fingerprint], [BOATS.fingerprint], []]
    for name in "bc":
        one.put(name, BOATS)
    with pytest.raises(StoreFull):
        one.put("d", BOATS)
    store.put("d", KAYAKS)
    assert not other.delete("a")
    assert one.of("acme").delete("a")
    assert one.of("default").read("a") == KAYAKS
