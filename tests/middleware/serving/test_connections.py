"""Slow, idle, stuck and too many connections, on real sockets."""

from __future__ import annotations

import json
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import fake_monitor, fakes
from live_service import serving

from grice.middleware.service.http.app import create_app
from grice.middleware.service.watch import live
from grice.middleware.settings import ConnectionSettings, ServiceSettings

QUICK = {"head_timeout_s": 0.3, "body_timeout_s": 0.3, "idle_timeout_s": 0.3, "write_timeout_s": 0.3}
PATIENT: dict[str, Any] = dict.fromkeys(QUICK, 60.0)
HOST = b"host: localhost\r\n"
POST = b"POST /v1/turns HTTP/1.1\r\n" + HOST + b"content-type: application/json\r\ncontent-length: 1000\r\n\r\n"
ALIVE = b"GET /health/live HTTP/1.1\r\n" + HOST + b"\r\n"
LIVE = b"GET /v1/live HTTP/1.1\r\n" + HOST + b"\r\n"
FIXTURES = Path(__file__).parents[2] / "fixtures"

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from fake_models import fakes
from grice.middleware.service.http.server import serve
from grice.middleware.service.json_log import log_json_lines
from grice.middleware.settings import ServiceSettings
log_json_lines()
serve(fakes(), ServiceSettings(port=0), lambda address: print(address, flush=True))
"""


def port_of(client: httpx.Client) -> int:
    assert client.base_url.port is not None
    return client.base_url.port


@contextmanager
def connected(port: int, sent: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as caller:
        caller.sendall(sent)
        yield caller


def read_all(caller: socket.socket) -> bytes:
    """What comes until the service ends the connection."""
    parts = []
    while part := caller.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def get(client: httpx.Client, path: str) -> httpx.Response:
    """The answer on a new connection."""
    return httpx.get(f"{client.base_url}{path}", trust_env=False, timeout=60)


def ended(client: httpx.Client, cause: str) -> int:
    begin = f'grice_connections_ended_total{{cause="{cause}"}}'
    (line,) = (each for each in get(client, "/metrics").text.splitlines() if each.startswith(begin))
    return int(float(line.rpartition(" ")[2]))


@pytest.mark.parametrize(
    ("limit", "sent", "answer", "cause"),
    [
        ("head_timeout_s", b"", b"", "idle"),
        ("head_timeout_s", b"GET /health/live HTTP/1.1\r\nhos", b"408 Request Timeout", "head"),
        ("body_timeout_s", POST + b"{", b"408 Request Timeout", "body"),
        ("body_timeout_s", POST.replace(b"/v1/turns", b"/v1/turns?x=") + b" " * 10, b"408 Request Timeout", "body"),
    ],
)
def test_a_slow_caller_is_told_and_cut(limit: str, sent: bytes, answer: bytes, cause: str) -> None:
    limits = ConnectionSettings(**{**PATIENT, limit: 0.3})
    with serving(create_app(fakes()), limits) as client, connected(port_of(client), sent) as caller:
        said = read_all(caller)
        assert answer in said
        if answer:
            head, _, body = said.partition(b"\r\n\r\n")
            assert b"x-content-type-options: nosniff" in head
            assert b"cache-control: no-store" in head
            assert json.loads(body)["status"] == 408
        assert ended(client, cause) == 1


def test_a_connection_that_is_kept_is_ended_when_idle_and_when_its_next_request_is_slow() -> None:
    request = b"GET /health/live HTTP/1.1\r\n" + HOST + b"\r\n"
    with serving(create_app(fakes()), ConnectionSettings(**{**PATIENT, "idle_timeout_s": 0.3})) as client:
        with connected(port_of(client), request) as caller:
            assert read_all(caller).count(b"200 OK") == 1
        assert ended(client, "idle") == 0  # that is as it should be
    with serving(create_app(fakes()), ConnectionSettings(**{**PATIENT, "head_timeout_s": 0.3})) as client:
        with connected(port_of(client), request + b"GET /hea") as caller:
            said = read_all(caller)
        assert (said.count(b"200 OK"), said.count(b"408 Request Timeout")) == (1, 1)


def test_a_body_that_nobody_waits_for_is_cut_too() -> None:
    settings = ServiceSettings(api_keys=("a-key-that-is-long-enough",))
    with serving(create_app(fakes(), settings), ConnectionSettings(**{**PATIENT, "body_timeout_s": 0.3})) as client:
        with connected(port_of(client), POST + b"{") as caller:
            assert b"401 Unauthorized" in read_all(caller)
        assert ended(client, "body") == 1


def test_what_is_no_http_is_refused_with_the_headers_of_all_answers() -> None:
    with serving(create_app(fakes())) as client, connected(port_of(client), b"\x16\x03\x01 hello\r\n\r\n") as caller:
        head, _, body = read_all(caller).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"nosniff" in head
    assert b"no-store" in head
    assert json.loads(body)["type"] == "urn:grice:problem:not-http"


def test_the_connection_that_is_idle_longest_makes_room() -> None:
    limits = ConnectionSettings(**PATIENT, max_connections=10)
    with serving(create_app(fakes()), limits) as client, ExitStack() as stack:
        callers = []
        for _ in range(60):  # one after the other: of those that come together, the last may be begun with first
            callers.append(stack.enter_context(connected(port_of(client), ALIVE)))
            assert b"200 OK" in callers[-1].recv(1000)
        for _ in range(3):
            assert get(client, "/health/live").status_code == 200
        poll = select.poll()
        for caller in callers:
            poll.register(caller, select.POLLRDHUP)
        closed = {number for number, _ in poll.poll(0)}
        assert {caller.fileno() for caller in callers[:50]} <= closed  # the first that came, as none did anything since
        assert ended(client, "room") + ended(client, "refused") >= 50


def test_slow_bodies_make_room_when_nothing_is_idle_and_answers_under_way_do_not() -> None:
    limits = ConnectionSettings(**PATIENT, max_connections=4)
    with serving(create_app(fakes(responses=fake_monitor())), limits) as client, ExitStack() as stack:
        stream = stack.enter_context(connected(port_of(client), LIVE))
        assert b"200 OK" in stream.recv(100)
        slow = [stack.enter_context(connected(port_of(client), POST)) for _ in range(8)]
        assert get(client, "/health/live").status_code == 200
        with pytest.raises(ConnectionResetError):
            read_all(slow[0])
        assert "grice_live_clients 1.0" in get(client, "/metrics").text


def test_more_sockets_than_the_process_may_open_leave_it_healthy(tmp_path: Path) -> None:
    log = tmp_path / "log"
    limited = ["bash", "-c", 'ulimit -n 200; exec "$@"', "bash", sys.executable, "-c", PROGRAM, str(FIXTURES)]
    with log.open("wb") as stderr, subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=stderr, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with ExitStack() as stack:
            for _ in range(260):
                stack.enter_context(connected(int(address.rpartition(":")[2])))
            for path in ("/health/live", "/health/ready", "/health/live"):
                assert httpx.get(address + path, trust_env=False, timeout=60).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(300) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    warnings = [(line["message"], line.get("cause")) for line in lines if line["level"] in ("warning", "error")]
    assert ("the limit of open files allows fewer connections", None) in warnings
    assert ("connection ended", "room") in warnings
    assert len(warnings) < 20


def test_a_stream_that_nobody_reads_is_dropped_and_one_that_is_read_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "FIRST_PROOF_S", 0.1)
    app = create_app(fakes(responses=fake_monitor()), ServiceSettings(live_clients=2, live_every_s=0.05))
    with serving(app, ConnectionSettings(**{**PATIENT, "write_timeout_s": 0.3})) as client, ExitStack() as stack:
        lines = stack.enter_context(client.stream("GET", "/v1/live")).iter_lines()
        stack.enter_context(connected(port_of(client), LIVE))
        filling = 0
        while app.state.engine.live.clients > 1 or filling < 2 * live.PROOF_PARTS * 32:  # two proofs
            filling += next(lines).startswith(":.")
        assert next(lines) is not None
        assert ended(client, "write") == 1


def test_health_and_metrics_may_have_a_port_of_their_own() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    settings = ServiceSettings(metrics_port=port, api_keys=("a-key-that-is-long-enough",))
    with serving(create_app(fakes(), settings), ConnectionSettings(**PATIENT, max_connections=1)) as client:
        assert client.get("/metrics").status_code == 404
        assert client.get("/health/ready").json()["status"] == "ready"
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as own:
            answers: dict[str, Any] = {path: own.get(path) for path in ("/metrics", "/health/live", "/health/ready", "/v1/models")}
            assert [each.status_code for each in answers.values()] == [200, 200, 200, 404]
            assert "grice_connections 1.0" in answers["/metrics"].text
            for answer in answers.values():
                assert (answer.headers["x-content-type-options"], answer.headers["cache-control"]) == ("nosniff", "no-store")
            assert own.get("/metrics", headers={"host": "evil.example"}).status_code == 421
