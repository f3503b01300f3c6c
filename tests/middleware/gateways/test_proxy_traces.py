"""From the proxy to where scores go: the caller's span, the completion's id, the session; and what operators are told."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fake_models import all_fakes, fakes
from live_service import eventually
from loopback_server import Answer, loopback, saying, sent
from openai_server import completion
from proxied_server import CHAT, PLAIN, ask, proxied

from grice.middleware.settings import ServiceSettings

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
BODY: dict[str, Any] = {"model": "m", "messages": [PLAIN]}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def named(*ids: str) -> Answer:
    """Answers one after the other, whose completions have these ids."""
    left = iter(ids)

    def answer(connection: socket.socket, _: bytes) -> bool:
        return sent(connection, json.dumps({**completion("That is Red."), "id": next(left)}).encode())

    return answer


def told_phoenix(answer: Answer, call: Callable[[httpx.Client], object], scored: int, **settings: Any) -> list[dict[str, Any]]:
    """The rows that a scripted Phoenix gets of the replies to a call."""
    with loopback(saying({"data": []})) as phoenix:
        service = ServiceSettings(score_sinks=(f"phoenix+{phoenix.url}",))
        with proxied(answer, service=service, **settings) as (client, server):
            call(client)
            eventually(lambda: outcomes(client).get("delivered", 0) + outcomes(client).get("unplaced", 0) == 9 * scored)
            assert not any(b"x-grice" in request.lower() for request in server.requests)
        return [row for request in phoenix.requests for row in json.loads(request.partition(b"\r\n\r\n")[2])["data"]]


def outcomes(client: httpx.Client) -> dict[str, float]:
    lines = [line for line in client.get("/grice/metrics").text.splitlines() if line.startswith("grice_sink_scores_total")]
    return {line.partition('outcome="')[2].partition('"')[0]: float(line.split()[-1]) for line in lines}


@pytest.mark.parametrize("hold", ["never", "score"])
def test_scores_go_to_the_callers_span_under_the_id_of_the_completion(hold: str) -> None:
    rows = told_phoenix(named("chat-7"), lambda client: client.post(CHAT, json=BODY, headers=TRACEPARENT), 1, hold=hold)
    assert {row["span_id"] for row in rows} == {SPAN}
    assert {row["metadata"]["event_id"] for row in rows} == {"chat-7"}
    assert len(rows) == 9


def test_without_a_span_scores_go_to_the_session_that_the_caller_names() -> None:
    rows = told_phoenix(named("a"), lambda client: client.post(CHAT, json=BODY, headers={"x-grice-session": "talk 1/b"}), 1)
    assert {row["session_id"] for row in rows} == {"talk%201%2Fb"}
    assert len(rows) == 9


def test_with_neither_span_nor_session_no_place_is_made_up() -> None:
    assert told_phoenix(named("a"), lambda client: client.post(CHAT, json=BODY), 1) == []


def test_replies_whose_server_gives_an_id_twice_all_count() -> None:
    def call(client: httpx.Client) -> None:
        for _ in range(3):
            client.post(CHAT, json=BODY, headers={"x-grice-session": "talk"})

    rows = told_phoenix(named("a", "a", "x" * 300), call, 3)
    ids = {row["metadata"]["event_id"] for row in rows}
    assert (len(rows), len(ids)) == (27, 3)
    assert "a" in ids


def test_requests_are_counted_and_logged_and_answers_keep_their_headers(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with proxied(saying(completion("Yes."), more="x-request-id: theirs\r\ncache-control: public\r\n")) as (client, _):
        response = ask(client, [PLAIN])
        client.get("/v1/models/a-name")
        metrics = client.get("/grice/metrics").text
    assert (response.headers["x-request-id"], response.headers["cache-control"]) == ("theirs", "public")
    assert "x-content-type-options" not in response.headers
    assert f'grice_requests_total{{method="POST",route="{CHAT}",status="200"}} 1.0' in metrics
    assert "a-name" not in metrics
    logged = [record.__dict__ for record in caplog.records if record.message == "request"]
    assert {"method": "POST", "route": CHAT, "status": 200}.items() <= logged[0].items()


def test_without_a_monitor_nobody_is_warned_of_replies(caplog: pytest.LogCaptureFixture) -> None:
    for hold in ("never", "score"):
        with proxied(saying(completion("Yes.")), fakes(), hold=hold) as (client, _):
            assert ask(client, [PLAIN]).status_code == 200
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING and record.name.startswith("grice")]


def test_a_chat_of_a_client_whose_base_url_has_no_v1_goes_by_way_of_grice_too() -> None:
    with proxied(saying({**completion("That is Red."), "id": "r1"}), all_fakes()) as (client, server):
        response = client.post("/chat/completions?a=1", json=BODY)
        eventually(lambda: client.get("/grice/scores/r1").status_code == 200)
        assert server.requests[0].startswith(b"POST /v1/chat/completions?a=1 ")
    assert response.headers["x-grice-decision"] == "pass"
