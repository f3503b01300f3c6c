"""What becomes of scores that wait when the process ends: sent where the receiver takes them in time, else counted as lost, once.

The queue behind is the one of webhooks too.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections import Counter

import pytest
from loopback_server import loopback, saying, sent
from scored_fixtures import scored

from grice.middleware.runtime.outbox import DELIVERED, Attempt, Outbox, OutboxLimits
from grice.middleware.settings import SinkSettings
from grice.middleware.sinks import Sinks, open_sinks
from grice.models.results import BEHAVIORS


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def opened(outcomes: Counter[str], *urls: str) -> Sinks:
    settings = SinkSettings(score_sinks=urls, sink_retry_s=0.001, sink_batch=9)
    sinks = open_sinks(settings, lambda kind, outcome, count: outcomes.update({f"{kind} {outcome}": count}))
    sinks.start()
    return sinks


def test_what_waits_is_sent_before_the_end() -> None:
    outcomes: Counter[str] = Counter()
    with loopback(saying({"data": []})) as server:
        sinks = opened(outcomes, server.url.replace("http", "phoenix+http"))
        for number in range(5):
            sinks.put(scored("Red", event_id=str(number)))
        sinks.close()
        assert len(server.requests) == 5
    assert outcomes == {"phoenix delivered": 5 * len(BEHAVIORS)}


def test_what_comes_after_the_end_is_counted_as_lost() -> None:
    outcomes: Counter[str] = Counter()
    with loopback(saying({"data": []})) as server:
        sinks = opened(outcomes, server.url.replace("http", "phoenix+http"))
        sinks.close()
        sinks.put(scored("Red"))
    assert outcomes == {"phoenix dropped": len(BEHAVIORS)}


def outbox(send: object, outcomes: list[tuple[str, list[int], str]], **limits: float) -> Outbox[int]:
    chosen = OutboxLimits(**{"queue": 100, "batch": 2, "tries": 6, "retry_s": 0.001, "close_s": 0.2, **limits})  # type: ignore[arg-type]
    made = Outbox[int]("test", send, chosen, lambda outcome, items, why: outcomes.append((outcome, list(items), why)))  # type: ignore[arg-type]
    made.start()
    return made


def test_a_try_under_way_at_the_end_is_counted_once() -> None:
    """It ends after the wait for the queue is over, and its receiver has it."""
    outcomes: list[tuple[str, list[int], str]] = []
    begun, end = threading.Event(), threading.Event()

    def send(_: object) -> Attempt:
        begun.set()
        assert end.wait(30)
        return DELIVERED

    made = outbox(send, outcomes, join_s=30.0)
    made.put([1, 2, 3])
    assert begun.wait(30)
    threading.Timer(1.0, end.set).start()
    made.close()
    assert sorted(outcomes) == [("delivered", [1, 2], ""), ("dropped", [3], "the process ends")]


def test_a_try_under_way_that_fails_at_the_end_is_counted_once_too() -> None:
    outcomes: list[tuple[str, list[int], str]] = []
    begun, end = threading.Event(), threading.Event()

    def send(_: object) -> Attempt:
        begun.set()
        assert end.wait(30)
        return Attempt("it answered 503", 0.0)

    made = outbox(send, outcomes, join_s=30.0)
    made.put([1, 2, 3])
    assert begun.wait(30)
    threading.Timer(1.0, end.set).start()
    made.close()
    assert sorted(outcomes) == [("dropped", [1, 2], "the process ends"), ("dropped", [3], "the process ends")]


def test_a_receiver_that_never_answers_does_not_keep_the_process() -> None:
    outcomes: list[tuple[str, list[int], str]] = []
    begun, never = threading.Event(), threading.Event()

    def send(_: object) -> Attempt:
        begun.set()
        never.wait(60)
        return DELIVERED

    made = outbox(send, outcomes, join_s=0.1)
    made.put([1, 2, 3])
    assert begun.wait(30)
    made.close()
    assert sorted(outcomes) == [("dropped", [1, 2], "the process ends"), ("dropped", [3], "the process ends")]
    never.set()


def test_what_waits_for_another_try_is_tried_once_more_before_the_end() -> None:
    """A receiver that asked for peace for longer than the process has left, and is back before it ends."""
    outcomes: list[tuple[str, list[int], str]] = []
    tried = threading.Event()
    answers = [Attempt("it answered 503", 200.0), DELIVERED]

    def send(_: object) -> Attempt:
        return answers.pop(0)

    def tell(outcome: str, items: object, why: str) -> None:
        outcomes.append((outcome, list(items), why))  # type: ignore[call-overload]
        tried.set()

    made = Outbox[int]("test", send, OutboxLimits(100, 2, 6, 0.001, 30.0, 30.0), tell)
    made.start()
    made.put([1, 2])
    assert tried.wait(30)
    made.close()
    assert outcomes == [("retried", [1, 2], "it answered 503"), ("delivered", [1, 2], "")]


def test_a_receiver_that_is_away_is_closed_beside_the_others(caplog: pytest.LogCaptureFixture) -> None:
    outcomes: Counter[str] = Counter()
    gate = threading.Event()

    def held(connection: socket.socket, _: bytes) -> bool:
        return gate.wait(60) and sent(connection, b"{}")

    with caplog.at_level(logging.ERROR), loopback(held) as away, loopback(saying({"data": []})) as there:
        sinks = opened(outcomes, away.url.replace("http", "mlflow+http"), there.url.replace("http", "phoenix+http"))
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        sinks.put(scored("Red", traceparent=trace))
        sinks.close()
        gate.set()
    assert (outcomes["mlflow dropped"], outcomes["phoenix delivered"]) == (len(BEHAVIORS), len(BEHAVIORS))
    assert "scores did not reach mlflow: the process ends" in caplog.text
