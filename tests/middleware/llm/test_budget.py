"""Memory and Redis keep a budget in the same way."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis_process import RedisServer

from grice.middleware.llm import Budget, Limits, MemoryBudget
from grice.middleware.llm.redis_budget import CALLS, USD, RedisBudget
from grice.models.errors import BudgetExhausted, SettingsError, StoreError

START = 1_700_000_000.0


class Clock:
    """Stands still until it is told the time."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


Make = Callable[[Limits], Budget]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "redis"])
def make(request: pytest.FixtureRequest, clock: Clock) -> Make:
    """Makes budgets on the test's clock."""
    if request.param == "memory":
        return lambda limits: MemoryBudget(limits, clock)
    server: RedisServer = request.getfixturevalue("redis_server")
    return lambda limits: RedisBudget(limits, server.url, clock=clock)


def has_room(budget: Budget, tenant: str = "default") -> bool:
    try:
        budget.take(tenant)
    except BudgetExhausted:
        return False
    return True


def test_calls_of_any_hour_are_limited(make: Make, clock: Clock) -> None:
    budget = make(Limits(calls_per_hour=2))
    assert has_room(budget)
    clock.now = START + 1800
    assert [has_room(budget) for _ in range(3)] == [True, False, False]
    clock.now = START + 3599
    assert not has_room(budget)
    clock.now = START + 3600
    assert [has_room(budget) for _ in range(2)] == [True, False]
    clock.now = START + 1800 + 3600
    assert has_room(budget)


def test_a_refused_call_is_not_counted(make: Make, clock: Clock) -> None:
    budget = make(Limits(calls_per_hour=1))
    assert [has_room(budget) for _ in range(5)] == [True, False, False, False, False]
    clock.now = START + 3600
    assert has_room(budget)


def test_dollars_of_any_day_are_limited(make: Make, clock: Clock) -> None:
    budget = make(Limits(usd_per_day=1.0))
    budget.spend(0.6)
    assert has_room(budget)
    clock.now = START + 40_000
    budget.spend(0.3)
    budget.spend(0.1)
    assert not has_room(budget)
    clock.now = START + 86_400 - 1
    assert not has_room(budget)
    clock.now = START + 86_400 + 300
    assert has_room(budget)
    budget.spend(0.5)
    assert has_room(budget)
    budget.spend(0.1)
    assert not has_room(budget)


def test_what_is_used_up_is_said(make: Make) -> None:
    budget = make(Limits(3, 0.5))
    budget.spend(0.5)
    with pytest.raises(BudgetExhausted, match=r"^the budget of 0\.5 US dollars a day is used up$"):
        budget.take()
    with pytest.raises(BudgetExhausted, match=r"^the budget of 0 calls an hour is used up$"):
        make(Limits(0, 9)).take()


def test_without_limits_there_is_always_room(make: Make) -> None:
    budget = make(Limits())
    budget.spend(1e6)
    assert all(has_room(budget) for _ in range(50))


def test_each_tenant_has_a_budget_of_its_own(make: Make) -> None:
    budget = make(Limits(calls_per_hour=1, usd_per_day=1))
    assert [has_room(budget, tenant) for tenant in ("default", "shop", "bank")] == [True] * 3
    assert not has_room(budget, "shop")
    spent = make(Limits(usd_per_day=1))
    spent.spend(2, "mill")
    assert [has_room(spent, tenant) for tenant in ("mill", "farm")] == [False, True]


def test_callers_side_by_side_take_no_call_too_many(make: Make) -> None:
    budget = make(Limits(calls_per_hour=20))
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: has_room(budget), range(60))) == 20


def test_processes_share_what_is_in_redis(redis_server: RedisServer) -> None:
    limits = Limits(calls_per_hour=3, usd_per_day=1)
    one, other = RedisBudget(limits, redis_server.url), RedisBudget(limits, redis_server.url)
    assert [has_room(one), has_room(other), has_room(one), has_room(other)] == [True, True, True, False]
    one.spend(0.25)
    with redis_server.client() as client:
        assert 0 < client.ttl(CALLS) <= 3600
        assert 86_400 < client.ttl(USD) <= 86_700
        client.delete(CALLS)
    other.spend(0.75)
    assert not has_room(one)


def test_a_redis_that_is_down_has_no_room_and_says_so(redis_server: RedisServer) -> None:
    budget = RedisBudget(Limits(1, 1), redis_server.url)
    redis_server.kill()
    with pytest.raises(StoreError, match=r"Redis: reading the budget failed: ConnectionError; is it running and reachable\?"):
        budget.take()
    with pytest.raises(StoreError):
        budget.spend(1)


def test_a_url_that_cannot_be_read() -> None:
    with pytest.raises(SettingsError, match="redis_url"):
        RedisBudget(Limits(), "http://localhost")
