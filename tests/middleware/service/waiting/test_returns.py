"""What those are told who are refused, and what is made of whether they come back."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import pytest

from grice.middleware.runtime.deadline import Deadline
from grice.middleware.service.waiting.backlog import Backlog, Wait, shared_wait_s
from grice.middleware.service.waiting.call import WaitingCall
from grice.middleware.service.waiting.returns import CUT_S, LATE_S, LONGEST_S, MOST, Address, Returns

SIMULATED_S = 30.0


@dataclass
class Simulated:
    """What came of it: calls answered, what those were told and waited who came back, and the longest wait after admission."""

    served: int = 0
    longest_s: float = 0.0
    told: list[tuple[float, float]] = field(default_factory=list)


def simulate(callers: int, work_s: float, gap_s: float, patient: bool) -> Simulated:
    """Callers of a model that does one call after the other; each calls again once it was answered."""
    now = busy = 0.0
    backlog, found = Backlog(0.4, lambda: now), Simulated()
    arrivals = [(number * gap_s, number) for number in range(callers)]
    asked: dict[int, float] = {}
    told: dict[int, float] = {}
    while arrivals[0][0] < SIMULATED_S:
        now, who = heapq.heappop(arrivals)
        asked.setdefault(who, now)
        refusal = backlog.refusal(call(port=who), Wait(work_s, max(0.0, busy - now)))
        if refusal is not None:
            assert refusal.retry_after_s is not None
            told.setdefault(who, refusal.retry_after_s)
            heapq.heappush(arrivals, (now + (refusal.retry_after_s if patient else 0.05), who))
            continue
        busy = max(busy, now) + work_s
        found.served += 1
        found.longest_s = max(found.longest_s, busy - now)
        if who in told:
            found.told.append((told.pop(who), busy - asked[who]))
        del asked[who]
        heapq.heappush(arrivals, (busy, who))
    return found


def at(port: int) -> Address:
    return ("127.0.0.1", port)


def test_each_is_told_a_time_after_those_before_it() -> None:
    returns = Returns()
    told = [returns.promise(at(number), 0.0, 0.0, 0.5) for number in range(9)]
    assert told == [1, 1, 1, 2, 2, 3, 3, 4, 4]


def test_a_long_wait_is_told_as_it_is() -> None:
    assert Returns().promise(at(1), 0.0, 17.2, 0.5) == 18
    assert Returns().promise(at(1), 0.0, 1e9, 0.5) == LONGEST_S


@pytest.mark.parametrize(("callers", "work_s", "gap_s"), [(100, 0.1, 0.0), (256, 0.02, 0.003), (1000, 0.01, 0.0)])
def test_those_who_come_back_wait_as_long_as_they_were_told(callers: int, work_s: float, gap_s: float) -> None:
    found = simulate(callers, work_s, gap_s, patient=True)
    within = [max(told / waited, waited / told) <= 2 for told, waited in found.told]
    assert sum(within) >= 0.95 * len(within) > 100
    assert found.served >= 0.95 * SIMULATED_S / work_s


def test_those_who_come_at_once_keep_the_model_busy_too() -> None:
    found = simulate(256, 0.02, 0.0, patient=False)
    assert found.served >= 0.95 * SIMULATED_S / 0.02
    assert found.longest_s <= 0.6


def test_where_nobody_comes_back_nobody_is_told_to_wait() -> None:
    returns = Returns()
    told = [returns.promise(at(number), number / 100, 0.0, 0.1) for number in range(3000)]
    assert (max(told) > 10, told[-1]) == (True, 1)
    assert returns.due_s(30.0, 1.0) < 0.1


def test_one_that_comes_too_early_did_not_wait() -> None:
    returns = Returns()
    returns.promise(at(1), 0.0, 10.0, 1.0)
    assert not returns.came(at(1), 5.0)
    assert not returns.came(at(1), 10.0)
    returns.promise(at(1), 10.0, 10.0, 1.0)
    assert returns.came(at(1), 20.0)


def test_callers_who_do_not_wait_say_nothing_of_those_who_come_after_them() -> None:
    returns = Returns()
    for call in range(500):  # 16 connections on which a call comes every 320 ms, whatever they are told
        returns.came(at(call % 16), now := call * 0.02)
        returns.promise(at(call % 16), now, 0.0, 0.1)
    told = [returns.promise(at(100 + number), now, 0.0, 0.1) for number in range(100)]
    assert told[-1] in (9, 10)


def test_one_that_waits_after_all_is_believed_again() -> None:
    returns = Returns()
    returns.promise(at(1), 0.0, 0.0, 2.0)
    assert not returns.came(at(1), 0.1)
    returns.promise(at(1), 0.1, 0.0, 2.0)
    assert returns.due_s(0.1, 5.0) == 0.0
    assert returns.came(at(1), 1.1)
    returns.promise(at(1), 1.1, 0.0, 2.0)
    assert returns.due_s(1.1, 5.0) == pytest.approx(2.0)


def test_one_that_was_told_a_long_wait_comes_back_on_another_connection() -> None:
    returns = Returns()
    returns.promise(at(1), 0.0, 2 * CUT_S, 1.0)
    returns.promise(at(2), 0.0, 2.0, 1.0)
    assert not returns.came(at(3), 2.0)  # that of the second is open: whoever comes on it is meant
    assert not returns.came(("10.0.0.1", 3), 2 * CUT_S)
    assert not returns.came(at(4), CUT_S)
    assert returns.came(at(4), 2 * CUT_S)
    assert not returns.came(at(5), 2 * CUT_S)  # it was one caller


def test_a_connection_that_is_in_use_does_not_take_the_place_of_one_that_is_closed() -> None:
    returns = Returns()
    returns.promise(at(1), 0.0, 2 * CUT_S, 1.0)
    returns.came(at(2), 2 * CUT_S - 1)
    assert not returns.came(at(2), 2 * CUT_S)
    assert returns.came(at(3), 2 * CUT_S)


def test_work_is_due_when_it_was_told_to_come() -> None:
    returns = Returns()
    returns.promise(at(1), 0.0, 2.0, 0.25)
    returns.promise(at(2), 0.0, 30.0, 8.0)
    assert [returns.due_s(1.0, within) for within in (0.5, 1.5, 40.0)] == [0.0, 0.25, 8.25]
    assert returns.due_s(2.0 + LATE_S + 0.1, 1.0) == 0.0


def test_what_is_remembered_is_bounded() -> None:
    returns = Returns()
    for number in range(MOST + 500):
        returns.promise(at(number), 0.0, 50.0, 1.0)
    assert returns.due_s(0.0, 100.0) <= MOST


@pytest.mark.parametrize(
    ("own_s", "left_s", "wait_s"),
    [
        (1.0, {}, 0.0),
        (1.0, {"me": [0.5, 0.5]}, 1.0),
        (1.0, {"me": [50.0]}, 1.0),
        (1.0, {"other": [50.0]}, 1.0),
        (1.0, {"other": [0.2] * 100}, 1.0),
        (1.0, {"me": [50.0, 0.5], "other": [50.0], "third": [0.1]}, 1.5 + 2.5 + 0.1),
        (100.0, {"me": [50.0]}, 50.0),
    ],
)
def test_the_wait_is_that_of_fair_shares(own_s: float, left_s: dict[Hashable, Iterable[float]], wait_s: float) -> None:
    assert shared_wait_s("me", own_s, left_s) == pytest.approx(wait_s)


def call(deadline_s: float = 60.0, port: int = 1) -> WaitingCall:
    return WaitingCall(Deadline(deadline_s), ("127.0.0.1", port))


def test_who_is_refused_and_why() -> None:
    backlog = Backlog(0.5, lambda: 0.0)
    assert backlog.refusal(call(), Wait(0.1, 0.55)) is None  # a small call may wait for half a second and as long as its own work
    assert backlog.refusal(call(port=5), Wait(0.1, 0.65)) is not None
    assert backlog.refusal(call(port=6), Wait(10.0, 29.0)) is None  # a large one, three times as long
    refused = backlog.refusal(call(port=2), Wait(0.1, 5.8))
    assert refused is not None
    assert (refused.retry_after_s, refused.is_late) == (6, False)
    late = backlog.refusal(call(0.3, port=3), Wait(0.1, 0.5))
    assert late is not None
    assert (late.is_late, late.retry_after_s is not None) == (True, True)
    never = backlog.refusal(call(0.3, port=4), Wait(0.5, 0.0))
    assert never is not None
    assert (never.is_late, never.retry_after_s) == (True, None)


def test_room_is_kept_for_those_who_were_told_to_come() -> None:
    now = 0.0
    backlog = Backlog(0.5, lambda: now)
    for port in range(10):
        assert backlog.refusal(call(port=port), Wait(0.1, 1.0)) is not None
    now = 1.0
    assert backlog.refusal(call(port=99), Wait(0.1, 0.3)) is not None
    assert backlog.refusal(call(port=0), Wait(0.1, 0.3)) is None
    assert backlog.refusal(call(port=98), Wait(0.1, 0.1)) is None  # the model is not left idle for them
