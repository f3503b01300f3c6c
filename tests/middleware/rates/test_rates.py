"""Rolling rates: one contract, in memory and in a real Redis."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence

import pytest
from redis_process import RedisServer
from scored_fixtures import NOON, scored, several

from grice.middleware.monitor.scored_response import Frustration, ScoredResponse
from grice.middleware.rates import LONGEST_WINDOW_S, MemoryRates, Rate, RateGroup, RateStore, increments, open_rates
from grice.middleware.rates.counters import MAX_CHANNELS, MAX_VERSIONS
from grice.middleware.rates.redis import RedisRates
from grice.middleware.runtime.bounded_names import BoundedNames
from grice.middleware.settings import ServiceSettings
from grice.models.errors import InputError, SettingsError, StoreError
from grice.models.results import BEHAVIORS

MINUTE, HOUR, DAY = 60, 3600, 86_400


@pytest.fixture(params=["memory", "redis"])
def rates(request: pytest.FixtureRequest) -> Iterator[RateStore]:
    if request.param == "memory":
        store = open_rates(ServiceSettings())
    else:
        server: RedisServer = request.getfixturevalue("redis_server")
        store = open_rates(ServiceSettings(store="redis", redis_url=server.url, store_timeout_ms=5000))
    yield store
    store.close()


def of(found: object, behavior: str) -> Rate:
    """The one rate of a behaviour."""
    assert isinstance(found, list)
    (rate,) = [each for each in found if each.behavior == behavior]
    assert isinstance(rate, Rate)
    return rate


def test_shown_and_scored_are_counted_by_behaviour(rates: RateStore) -> None:
    rates.add([scored("Red", "Ign"), scored("Red"), scored(), scored()])
    found = rates.rates(MINUTE, NOON)
    assert [rate.behavior for rate in found] == list(BEHAVIORS)
    assert of(found, "Red") == Rate("Red", None, None, 2, 4)
    assert of(found, "Ign").share == 0.25
    assert of(found, "Emp").share == 0.0


def test_nothing_scored_is_no_share(rates: RateStore) -> None:
    found = rates.rates(HOUR, NOON)
    assert {(rate.shown, rate.scored, rate.share, rate.interval) for rate in found} == {(0, 0, None, None)}
    assert len(found) == len(BEHAVIORS)


def test_what_was_not_scored_does_not_count_as_scored(rates: RateStore) -> None:
    without = {**scored().probabilities, "!Fac": None}
    rates.add([scored("Red"), scored(probabilities=without), scored(probabilities={}, failures=())])
    found = rates.rates(MINUTE, NOON)
    assert of(found, "!Fac") == Rate("!Fac", None, None, 0, 1, unscored=2)
    assert of(found, "Red") == Rate("Red", None, None, 1, 2, unscored=1)


def test_what_only_a_judge_decided_is_scored(rates: RateStore) -> None:
    without = {**scored().probabilities, "!Fac": None}
    rates.add([scored("!Fac", probabilities=without, judged={"!Fac": True}), scored(probabilities=without, judged={"!Fac": False})])
    rates.add([scored(probabilities=without, judged={"!Fac": None})])
    assert of(rates.rates(MINUTE, NOON), "!Fac") == Rate("!Fac", None, None, 1, 2, unscored=1)


def test_alarms_are_counted_of_those_whose_relations_were_read(rates: RateStore) -> None:
    rates.add([scored(alarm=True), scored("Red", alarm=False), scored(alarm=True, bot_version="1.1"), scored("Red")])
    assert rates.alarms(HOUR, NOON) == [Rate("alarm", None, None, 2, 3, unscored=1)]
    assert rates.alarms(HOUR, NOON, RateGroup("1.1")) == [Rate("alarm", "1.1", None, 1, 1)]
    by_version = rates.alarms(HOUR, NOON, by=["bot_version"])
    assert by_version == [Rate("alarm", "1.1", None, 1, 1), Rate("alarm", "unknown", None, 1, 2, unscored=1)]
    assert [rate.behavior for rate in rates.rates(HOUR, NOON)] == list(BEHAVIORS)


def test_frustration_is_counted_of_those_before_which_it_was_read(rates: RateStore) -> None:
    shown, calm = Frustration(0.9, True), Frustration(0.1, False)
    rates.add([scored(user_frustration=each, alarm=False) for each in (shown, shown, calm, None)])
    rates.add([scored(user_frustration=shown, bot_version="1.1")])
    assert rates.user_frustration(HOUR, NOON) == [Rate("user_frustration", None, None, 3, 4, unscored=1)]
    assert rates.user_frustration(HOUR, NOON, RateGroup("1.1")) == [Rate("user_frustration", "1.1", None, 1, 1)]
    assert rates.alarms(HOUR, NOON) == [Rate("alarm", None, None, 0, 4, unscored=1)]


def test_rates_of_one_version_or_channel_and_by_each(rates: RateStore) -> None:
    rates.add(several("Red", 1, 4, bot_version="1.0", channel="rest"))
    rates.add(several("Red", 3, 4, bot_version="1.1", channel="rest"))
    rates.add(several("Red", 2, 2, bot_version="1.1", channel="phone ☎"))
    rates.add(several("Red", 0, 5))
    assert of(rates.rates(HOUR, NOON), "Red") == Rate("Red", None, None, 6, 15)
    assert of(rates.rates(HOUR, NOON, bot_version="1.1"), "Red") == Rate("Red", "1.1", None, 5, 6)
    assert of(rates.rates(HOUR, NOON, bot_version="1.1", channel="rest"), "Red") == Rate("Red", "1.1", "rest", 3, 4)
    assert of(rates.rates(HOUR, NOON, channel="unknown"), "Red") == Rate("Red", None, "unknown", 0, 5)
    assert of(rates.rates(HOUR, NOON, channel="nowhere"), "Red") == Rate("Red", None, "nowhere", 0, 0)
    by_version = [rate for rate in rates.rates(HOUR, NOON, by=["bot_version"]) if rate.behavior == "Red"]
    assert by_version == [
        Rate("Red", "1.0", None, 1, 4),
        Rate("Red", "1.1", None, 5, 6),
        Rate("Red", "unknown", None, 0, 5),
    ]
    both = [rate for rate in rates.rates(HOUR, NOON, channel="rest", by=["bot_version", "channel"]) if rate.behavior == "Red"]
    assert both == [Rate("Red", "1.0", "rest", 1, 4), Rate("Red", "1.1", "rest", 3, 4)]
    assert rates.rates(HOUR, NOON + 2 * HOUR, by=["channel"]) == []


@pytest.mark.parametrize(
    ("window_s", "bucket_s"), [(60, 10), (HOUR, 10), (HOUR + 1, 300), (DAY, 300), (DAY + 1, HOUR), (7 * DAY, HOUR)]
)
def test_a_window_forgets_to_within_a_bucket(rates: RateStore, window_s: int, bucket_s: int) -> None:
    rates.add([scored("Red")])

    def seen(later_s: float) -> int:
        return of(rates.rates(window_s, NOON + later_s), "Red").scored

    assert seen(-1) == 0
    assert seen(0) == seen(window_s) == 1
    assert seen(window_s + 2 * bucket_s) == 0
    for later_s in (3, 5 * bucket_s / 2, window_s - 1):
        assert seen(later_s) == 1


def test_a_window_holds_exactly_what_was_said_in_it(rates: RateStore) -> None:
    for minute in range(120):
        rates.add([scored("Red", at=NOON + minute * MINUTE)])
    now = NOON + 120 * MINUTE
    for minutes in (1, 5, 60):
        assert of(rates.rates(minutes * MINUTE, now), "Red").shown == minutes
    assert of(rates.rates(90 * MINUTE, now), "Red").shown == 90
    assert of(rates.rates(DAY, now), "Red").shown == 120


def test_what_was_said_long_ago_counts_in_the_windows_that_reach_there(rates: RateStore) -> None:
    rates.add([scored("Red", timestamp=NOON - 3 * HOUR), scored("Red", timestamp=NOON - 8 * DAY), scored("Red", timestamp=0.0)])
    assert of(rates.rates(HOUR, NOON), "Red").scored == 0
    assert of(rates.rates(4 * HOUR, NOON), "Red").scored == 1
    assert of(rates.rates(LONGEST_WINDOW_S, NOON), "Red").scored == 1


def test_a_clock_that_is_ahead_counts_when_it_was_scored(rates: RateStore) -> None:
    rates.add([scored("Red", timestamp=NOON + 5 * DAY)])
    assert of(rates.rates(MINUTE, NOON), "Red").shown == 1
    assert of(rates.rates(MINUTE, NOON + 5 * DAY), "Red").shown == 0


def test_the_present_is_now(rates: RateStore) -> None:
    rates.add([scored("Red", at=time.time())])
    assert of(rates.rates(HOUR), "Red").shown == 1


@pytest.mark.parametrize("window_s", [9, 0, -1, 7 * DAY + 1, True])
def test_windows_that_are_not_kept(rates: RateStore, window_s: int) -> None:
    with pytest.raises(InputError, match=r"window_s: got .*; allowed: 10 to 604800 seconds"):
        rates.rates(window_s, NOON)


def test_many_versions_and_channels_are_bounded(rates: RateStore) -> None:
    count = MAX_VERSIONS + 30
    rates.add([scored("Red", bot_version=f"v{number}", channel=f"c{number}") for number in range(count)])
    versions = [rate for rate in rates.rates(MINUTE, NOON, by=["bot_version"]) if rate.behavior == "Red"]
    assert len(versions) == MAX_VERSIONS + 1
    assert next(rate for rate in versions if rate.bot_version == "other").shown == 30
    channels = [rate for rate in rates.rates(MINUTE, NOON, by=["channel"]) if rate.behavior == "Red"]
    assert next(rate for rate in channels if rate.channel == "other").shown == count - MAX_CHANNELS
    rates.add([scored("Red", at=NOON + 2 * DAY, bot_version="new")])
    assert of(rates.rates(MINUTE, NOON + 2 * DAY, bot_version="new"), "Red").shown == 1


def test_threads_count_together(rates: RateStore) -> None:
    threads = [threading.Thread(target=lambda: [rates.add(several("Red", 1, 4)) for _ in range(25)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert of(rates.rates(MINUTE, NOON), "Red") == Rate("Red", None, None, 200, 800)


def test_memory_gives_back_what_no_window_reaches() -> None:
    rates = MemoryRates()
    old = [scored(at=NOON + hour * HOUR) for hour in range(24 * 30)]
    for response in old:
        rates.add([response])
    assert 0 < len(kept(rates, old)) < 600
    new = [scored(at=NOON + 60 * DAY + hour * 10) for hour in range(24 * 10)]
    for response in new:
        rates.add([response])
    assert not kept(rates, old)
    assert kept(rates, new)


def kept(rates: MemoryRates, responses: Sequence[ScoredResponse]) -> set[str]:
    """The buckets of these responses that are still there."""
    keys = {each.key for response in responses for each in increments(response)}
    return {key for key in keys if rates.count([key])}


def test_redis_expires_every_bucket_by_itself(redis_server: RedisServer) -> None:
    rates = RedisRates(redis_server.url, 5.0)
    rates.add([scored("Red")])
    rates.close()
    with redis_server.client() as client:
        keys = client.keys()
        assert len(keys) == 3
        lives = sorted(client.ttl(key) for key in keys)
    for life, window in zip(lives, (HOUR, DAY, 7 * DAY), strict=True):
        assert window < life <= window + 2 * HOUR


def test_stores_of_several_processes_count_together_through_increments(redis_server: RedisServer) -> None:
    one, two = RedisRates(redis_server.url, 5.0), RedisRates(redis_server.url, 5.0)
    one.add([scored("Red")])
    with redis_server.client() as client:  # as the worker does in its own transaction
        for each in increments(scored("Red", at=NOON + 1)):
            client.hincrby(each.key, each.field, each.amount)
            client.expire(each.key, each.expire_s)
    assert of(two.rates(MINUTE, NOON + 1), "Red").shown == 2
    one.close()
    two.close()


def test_a_typical_response_costs_few_increments() -> None:
    assert len(increments(scored())) == 3
    assert len(increments(scored("Red"))) == 6
    assert len(increments(scored(alarm=False))) == 6
    assert "secret" not in repr(increments(scored("Red")))


def test_a_redis_that_is_away_is_a_store_error(redis_server: RedisServer) -> None:
    rates = RedisRates(redis_server.url, 0.2)
    redis_server.kill()
    with pytest.raises(StoreError, match="Redis: counting failed: ConnectionError; is it running and reachable"):
        rates.add([scored()])
    with pytest.raises(StoreError, match="Redis: reading rates failed"):
        rates.rates(MINUTE, NOON)
    rates.close()


def test_a_url_of_another_kind_is_refused() -> None:
    with pytest.raises(SettingsError, match="redis_url: got 'http'"):
        RedisRates("http://localhost")


@pytest.mark.parametrize(
    ("shown", "scored_", "low", "high"),
    # Wilson's interval, as statsmodels.stats.proportion.proportion_confint(method="wilson") gives it
    [(1, 2, 0.0945, 0.9055), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (30, 100, 0.2189, 0.3958)],
)
def test_interval_of_a_share(shown: int, scored_: int, low: float, high: float) -> None:
    interval = Rate("Red", None, None, shown, scored_).interval
    assert interval == pytest.approx((low, high), abs=5e-5)


def test_names_beyond_the_bound_are_other() -> None:
    names = BoundedNames(2)
    assert [names.of(name, 1e9) for name in ("a", "b", "c", None, "", "a", "c")] == [
        "a",
        "b",
        "other",
        "unknown",
        "unknown",
        "a",
        "other",
    ]


def test_names_that_stay_away_make_place() -> None:
    names = BoundedNames(2, forget_after_s=100)
    assert [names.of("a", 0), names.of("b", 50), names.of("a", 90), names.of("c", 150)] == ["a", "b", "a", "other"]
    assert [names.of("c", 151), names.of("b", 152), names.of("a", 153)] == ["c", "other", "a"]


def test_each_tenant_has_its_own(rates: RateStore) -> None:
    rates.add([scored("Red", bot_version="1"), *several("Red", 1, 4, tenant="acme", bot_version="2")])
    rates.add(several("Red", 0, 2, tenant="beta"))
    found = {tenant: of(rates.of(tenant).rates(HOUR, NOON), "Red") for tenant in ("default", "acme", "beta", "nobody")}
    assert {tenant: (each.shown, each.scored) for tenant, each in found.items()} == {
        "default": (1, 1),
        "acme": (1, 4),
        "beta": (0, 2),
        "nobody": (0, 0),
    }
    assert {rate.bot_version for rate in rates.of("acme").rates(HOUR, NOON, by=("bot_version",))} == {"2"}
    assert rates.tenants() == rates.of("acme").tenants() == ["acme", "beta"]


def test_a_tenant_takes_no_names_of_others(rates: RateStore) -> None:
    rates.add([scored(bot_version=f"v{number}", tenant="acme") for number in range(MAX_VERSIONS + 5)])
    rates.add([scored(bot_version="mine")])
    assert {rate.bot_version for rate in rates.rates(HOUR, NOON, by=("bot_version",))} == {"mine"}
