"""Who is next: callers share alike, and so do the calls of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from grice.middleware.service.waiting.shares import FairShares


def next_of(shares: FairShares, calls: dict[str, str]) -> str:
    """The call whose turn it is, of those of callers by call."""
    return min(calls, key=lambda call: shares.rank(calls[call], call))


def test_who_was_given_least_is_next() -> None:
    shares, calls = FairShares(), {"a": "ann", "b": "bob"}
    for call, caller in calls.items():
        shares.join(caller, call)
    assert next_of(shares, calls) == "a"
    shares.spend("ann", "a", 1.0)
    assert next_of(shares, calls) == "b"


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.floats(0.1, 10))
def test_callers_share_alike_however_many_calls_they_have(counts: list[int], cost_s: float) -> None:
    shares = FairShares()
    calls = {f"{caller}.{call}": f"caller {caller}" for caller, count in enumerate(counts) for call in range(count)}
    for call, caller in calls.items():
        shares.join(caller, call)
    given_to: Counter[str] = Counter()
    for _ in range(20 * len(counts)):
        call = next_of(shares, calls)
        given_to[calls[call]] += 1
        shares.spend(calls[call], call, cost_s)
    assert max(given_to.values()) - min(given_to.values()) <= 1


def test_the_calls_of_a_caller_share_alike() -> None:
    shares, calls = FairShares(), {"a": "ann", "b": "ann", "c": "ann"}
    for call in calls:
        shares.join("ann", call)
    order = []
    for _ in range(6):
        order.append(next_of(shares, calls))
        shares.spend("ann", order[-1], 1.0)
    assert sorted(order[:3]) == sorted(order[3:]) == ["a", "b", "c"]


def test_who_comes_anew_goes_before_one_that_had_much_but_saves_nothing_up() -> None:
    shares = FairShares()
    shares.join("ann", "long")
    shares.spend("ann", "long", 100.0)
    shares.join("bob", "new")
    calls = {"long": "ann", "new": "bob"}
    order = []
    for _ in range(20):
        order.append(next_of(shares, calls))
        shares.spend(calls[order[-1]], order[-1], 1.0)
    assert Counter(order)["long"] >= 9


def test_a_stream_of_new_calls_does_not_starve_a_long_one() -> None:
    shares = FairShares()
    shares.join("ann", "long")
    served = 0
    for number in range(100):
        call = f"short {number}"
        shares.join("ann", call)
        while (chosen := next_of(shares, {"long": "ann", call: "ann"})) == "long":
            shares.spend("ann", "long", 1.0)
            served += 1
        shares.spend("ann", chosen, 1.0)
        shares.leave("ann", chosen)
    assert 40 <= served <= 110


def test_the_order_is_that_of_serving_one_by_one() -> None:
    shares = FairShares()
    work = {"a": iter([3, 1]), "b": iter([1, 1, 1]), "c": iter([1])}
    callers = {"a": "ann", "b": "bob", "c": "bob"}
    for call, caller in callers.items():
        shares.join(caller, call)
    waiting = [(callers[call], call, _named(call, pieces)) for call, pieces in work.items()]
    order = [call for call, _ in shares.in_order(waiting, lambda piece: float(piece[1]))]
    assert order == ["a", "b", "c", "b", "a", "b"]


def _named(call: str, pieces: Iterator[int]) -> Iterator[tuple[str, int]]:
    return ((call, piece) for piece in pieces)


def test_one_that_left_is_forgotten() -> None:
    shares = FairShares()
    shares.join("ann", "a")
    shares.leave("ann", "a")
    shares.spend("ann", "a", 5.0)
    shares.join("ann", "a")
    assert shares.rank("ann", "a")[:2] == (0.0, 0.0)
