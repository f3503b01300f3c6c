"""Memory and Redis are held to the same contract."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from live_service import RedisServer, eventually

from grice.middleware.settings import ServiceSettings
from grice.middleware.stores import DialogueStore, MemoryStore, open_store
from grice.middleware.stores.dialogue_store import REMEMBERED
from grice.middleware.stores.redis import KEY, NAMES, RedisStore
from grice.models.dialogue import Turn
from grice.models.errors import SettingsError, StoreError

Make = Callable[..., DialogueStore]

HELLO = Turn("user", "Hello, ça va? 你好 \x07")
ANSWER = Turn("bot", 'Fine, "thanks".\nAnd you?')


@pytest.fixture(params=["memory", "redis"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes stores that settings describe."""
    settings = ServiceSettings(max_turns=4)
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        settings = dataclasses.replace(settings, store="redis", redis_url=server.url)

    def made(**changes: Any) -> DialogueStore:
        store = open_store(dataclasses.replace(settings, **changes))
        request.addfinalizer(store.close)
        return store

    return made


def test_turns_come_back_in_order_and_unchanged(make: Make) -> None:
    store = make()
    store.append("a", [HELLO])
    store.append("a", [ANSWER, HELLO])
    store.append("b", [ANSWER])
    assert store.read("a") == (HELLO, ANSWER, HELLO)
    assert store.read("b") == (ANSWER,)


@pytest.mark.parametrize(("last", "count"), [(None, 3), (5, 3), (3, 3), (2, 2), (1, 1), (0, 0)])
def test_the_newest_turns_are_read(make: Make, last: int | None, count: int) -> None:
    store = make()
    turns = [Turn("user", f"turn {number}") for number in range(3)]
    store.append("a", turns)
    assert store.read("a", last) == tuple(turns[3 - count :])


def test_an_unknown_dialogue_has_no_turns(make: Make) -> None:
    store = make()
    assert store.read("nobody") == ()
    assert not store.delete("nobody")
    assert not store.expire("nobody", 10)


def test_no_turns_make_no_dialogue(make: Make) -> None:
    store = make()
    store.append("a", [])
    assert not store.delete("a")


def test_the_oldest_turns_go(make: Make) -> None:
    store = make()
    for number in range(3):
        store.append("a", [Turn("user", f"user {number}"), Turn("bot", f"bot {number}")])
    assert [turn.text for turn in store.read("a")] == ["user 1", "bot 1", "user 2", "bot 2"]


def test_more_turns_at_once_than_are_kept(make: Make) -> None:
    store = make()
    store.append("a", [Turn("user", str(number)) for number in range(9)])
    assert [turn.text for turn in store.read("a")] == ["5", "6", "7", "8"]


def test_deleting_forgets(make: Make) -> None:
    store = make()
    store.append("a", [HELLO])
    assert store.delete("a")
    assert store.read("a") == ()
    assert not store.delete("a")


def test_expiring_now_forgets(make: Make) -> None:
    store = make()
    store.append("a", [HELLO])
    assert store.expire("a", 0)
    assert store.read("a") == ()
    assert not store.expire("a", 10)


def test_expiring_later_keeps_until_then(make: Make) -> None:
    store = make()
    store.append("a", [HELLO])
    assert store.expire("a", 3600)
    assert store.read("a") == (HELLO,)
    assert store.expire("a", 0.02)
    eventually(lambda: store.read("a") == ())


def test_dialogues_expire_by_themselves(make: Make) -> None:
    store = make(expire_s=1)
    store.append("a", [HELLO])
    assert store.read("a") == (HELLO,)
    eventually(lambda: store.read("a") == ())


def test_appending_renews(make: Make) -> None:
    store = make(expire_s=3600)
    store.append("a", [HELLO])
    store.expire("a", 0.5)
    store.append("a", [ANSWER])
    store.append("b", [HELLO])
    store.expire("b", 0.5)
    eventually(lambda: store.read("b") == ())
    assert store.read("a") == (HELLO, ANSWER)


def test_parallel_appends_are_whole_and_none_is_lost(make: Make) -> None:
    store = make(max_turns=1000)

    def append(number: int) -> None:
        store.append("a", [Turn("bot", f"bot {number}"), Turn("user", f"user {number}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(append, range(100)))
    texts = [turn.text for turn in store.read("a")]
    pairs = list(zip(texts[::2], texts[1::2], strict=True))
    assert sorted(pairs) == sorted((f"bot {number}", f"user {number}") for number in range(100))


def test_an_addition_with_a_name_is_made_once(make: Make) -> None:
    store = make()
    assert store.append("a", [HELLO], once="one")
    assert not store.append("a", [HELLO], once="one")
    assert store.append("a", [ANSWER], once="two")
    assert not store.append("a", [HELLO], once="one")
    assert store.append("a", [ANSWER])
    assert store.append("b", [HELLO], once="one")
    assert store.read("a") == (HELLO, ANSWER, ANSWER)
    assert store.read("b") == (HELLO,)


def test_no_turns_use_up_no_name(make: Make) -> None:
    store = make()
    assert not store.append("a", [], once="one")
    assert store.append("a", [HELLO], once="one")


def test_parallel_additions_of_one_name_are_made_once(make: Make) -> None:
    store = make(max_turns=1000)

    def append(number: int) -> bool:
        return store.append("a", [Turn("user", str(number % 20))], once=f"name {number % 20}")

    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(append, range(200)))
    assert sum(added) == 20
    assert sorted(int(turn.text) for turn in store.read("a")) == list(range(20))


def test_names_outlive_their_turns(make: Make) -> None:
    store = make(max_turns=2)
    for number in range(5):
        store.append("a", [Turn("user", str(number))], once=str(number))
    assert not any(store.append("a", [HELLO], once=str(number)) for number in range(5))
    assert [turn.text for turn in store.read("a")] == ["3", "4"]


def test_so_many_names_are_remembered(make: Make) -> None:
    store = make()
    for number in range(REMEMBERED + 1):
        store.append("a", [HELLO], once=str(number))
    assert not store.append("a", [HELLO], once=str(REMEMBERED))
    assert not store.append("a", [HELLO], once="1")
    assert store.append("a", [HELLO], once="0")


def test_names_are_forgotten_with_their_dialogue(make: Make) -> None:
    store = make()
    store.append("a", [HELLO], once="one")
    store.delete("a")
    assert store.append("a", [HELLO], once="one")
    store.expire("a", 0)
    assert store.append("a", [HELLO], once="one")
    store.expire("a", 0.02)
    eventually(lambda: store.append("a", [ANSWER], once="one"))


def test_a_store_that_is_there_can_be_used(make: Make) -> None:
    make().ping()


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_memory_forgets_the_dialogue_unused_longest() -> None:
    store = MemoryStore(max_dialogues=2)
    store.append("a", [HELLO])
    store.append("b", [HELLO])
    store.read("a")
    store.append("c", [HELLO])
    assert [bool(store.read(name)) for name in "abc"] == [True, False, True]


def test_memory_is_bounded_in_characters_too() -> None:
    store = MemoryStore(max_characters=30)
    for name in "abc":
        store.append(name, [Turn("user", "x" * 10)])
    store.append("a", [Turn("user", "y" * 5)])
    assert [len(store.read(name)) for name in "abc"] == [2, 0, 1]
    store.delete("a")
    store.append("b", [Turn("user", "z" * 20)])
    assert [len(store.read(name)) for name in "abc"] == [0, 1, 1]


def test_names_count_as_characters_of_memory() -> None:
    store = MemoryStore(max_characters=30)
    store.append("a", [Turn("user", "x" * 10)], once="n" * 10)
    store.append("b", [Turn("user", "x" * 10)])
    assert store.read("a")
    store.append("a", [Turn("user", "x")], once="m" * 10)
    assert not store.read("b")


def test_memory_expires_by_the_clock() -> None:
    clock = Clock()
    store = MemoryStore(expire_s=10, clock=clock)
    store.append("a", [HELLO])
    clock.now += 9.9
    assert store.read("a") == (HELLO,)
    clock.now += 0.1
    assert store.read("a") == ()


def test_memory_gives_back_what_nobody_asks_for() -> None:
    clock = Clock()
    store = MemoryStore(expire_s=10, clock=clock)
    for number in range(50):
        store.append(f"old {number}", [HELLO])
    clock.now += 1000
    store.append("new", [HELLO])
    clock.now -= 1000  # by this clock they are still to be read, if they are there
    assert [store.read(f"old {number}") for number in range(50)] == [()] * 50
    assert store.read("new") == (HELLO,)


def test_redis_expires_keys_itself(redis_server: RedisServer) -> None:
    store = RedisStore(redis_server.url, expire_s=100)
    store.append("a", [HELLO], once="one")
    with redis_server.client() as client:
        for key in (KEY, NAMES):
            assert 0 < client.pttl(key + "a") <= 100_000
    store.close()


def test_redis_that_is_down_is_an_error_that_says_so(redis_server: RedisServer) -> None:
    store = RedisStore(redis_server.url)
    store.append("a", [HELLO])
    redis_server.kill()
    for operation in (
        store.ping,
        lambda: store.read("a"),
        lambda: store.append("a", [HELLO]),
        lambda: store.append("a", [HELLO], once="one"),
        lambda: store.delete("a"),
        lambda: store.expire("a", 1),
    ):
        with pytest.raises(StoreError, match=r"Redis: .* failed: ConnectionError; is it running and reachable"):
            operation()
    redis_server.start()
    store.append("a", [ANSWER])
    assert store.read("a") == (ANSWER,)
    store.close()


def test_redis_holding_something_else_is_an_error(redis_server: RedisServer) -> None:
    store = RedisStore(redis_server.url)
    with redis_server.client() as client:
        client.set(KEY + "a", "text")
        client.rpush(KEY + "b", "text")
        client.rpush(KEY + "c", '["nobody", "text"]')
    for name in "abc":
        with pytest.raises(StoreError):
            store.read(name)
    with pytest.raises(StoreError):
        store.append("a", [HELLO])
    with pytest.raises(StoreError):
        store.append("a", [HELLO], once="one")
    store.delete("a")
    assert store.append("a", [HELLO], once="one")
    store.close()


def test_a_redis_url_of_another_kind_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"redis_url: got 'http'; allowed: a URL that starts with redis://"):
        RedisStore("http://user:secret@example.org")


def test_each_tenant_has_its_own(make: Make) -> None:
    store = make()
    one, other = store.of("acme"), store.of("beta")
    for each, text in ((store, "Mine."), (one, "One's."), (other, "The other's.")):
        assert each.append("a", [Turn("user", text)], once="e1")
        assert not each.append("a", [Turn("user", text)], once="e1")
    assert [each.read("a")[0].text for each in (store, one, other)] == ["Mine.", "One's.", "The other's."]
    assert store.of("acme").read("a") == one.of("acme").read("a") == one.read("a")
    assert one.of("default").read("a") == store.of("default").read("a") == store.read("a")
    assert one.expire("a", 0)
    assert other.delete("a")
    assert not other.delete("a")
    assert [len(each.read("a")) for each in (store, one, other)] == [1, 0, 0]


def test_what_was_kept_before_there_were_tenants_is_found(redis_server: RedisServer) -> None:
    with redis_server.client() as redis:
        redis.rpush("grice:dialogue:a", '["user", "From before."]')
    store = RedisStore(redis_server.url)
    assert store.read("a") == store.of("default").read("a") == (Turn("user", "From before."),)
    assert store.of("acme").read("a") == ()
    store.close()


def test_a_tenant_that_fills_the_memory_takes_no_place_of_others() -> None:
    store = MemoryStore(max_dialogues=2)
    store.append("a", [HELLO])
    for number in range(10):
        store.of("acme").append(str(number), [HELLO])
    assert store.read("a") == (HELLO,)
    assert store.of("acme").read("7") == ()
