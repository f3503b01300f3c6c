"""The client of the REST service, against the real one and against servers that misbehave."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fake_models import FakeRewriter, fake_pipeline, fakes
from live_service import eventually, serving
from loopback_server import LoopbackServer, analysing, dripping, hanging, loopback, saying, turn_row

from grice.middleware import PipelineSettings
from grice.middleware.capabilities.directness import DIRECTNESS
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.client import Remote, RemoteService, RemoteSettings
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import Mode, ServiceSettings
from grice.models import Dialogue
from grice.models.errors import CircuitOpen, DeadlineExceeded, ServiceError, SettingsError

FIXTURES = Path(__file__).parents[2] / "fixtures"

WISH = Dialogue.of("I wish it were warmer", [("user", "Hello."), ("bot", "Which one?")])
PLAIN = Dialogue.of("Turn the heating up.")
PATIENT_MS = 20_000
GENEROUS_S = 5.0
"""For what should take 200 ms on a machine that may be busy."""


def patient(url: str, api_key: str = "") -> RemoteService:
    return RemoteService(RemoteSettings(url, api_key, PATIENT_MS), probe_every_s=0.05)


def hasty(url: str) -> RemoteService:
    return RemoteService(RemoteSettings(url), probe_every_s=0.05)


@contextmanager
def real_service(settings: ServiceSettings | None = None) -> Iterator[str]:
    with serving(create_app(fakes(fake_pipeline(), FakeRewriter("softly")), settings)) as client:
        yield str(client.base_url)


@pytest.fixture(scope="module")
def service_url() -> Iterator[str]:
    with real_service() as url:
        yield url


@pytest.mark.parametrize("mode", ["append", "replace"])
def test_the_remote_pipeline_answers_as_the_one_in_process(service_url: str, mode: Mode) -> None:
    local = fake_pipeline(PipelineSettings(mode=mode))
    remote = Remote(TURNS, patient(service_url), mode=mode)
    dialogues = [WISH, PLAIN] * 40
    assert remote.predict(dialogues) == local.predict(dialogues)
    assert remote.predict([]) == []


def test_without_a_mode_the_service_decides(service_url: str) -> None:
    assert Remote(TURNS, patient(service_url)).predict([WISH]) == fake_pipeline().predict([WISH])


def test_a_failure_inside_the_service_comes_with_the_turn(service_url: str) -> None:
    (analysis,) = Remote(TURNS, patient(service_url)).predict([Dialogue.of("I wish for poison")])
    assert (analysis.text, analysis.reason) == ("I wish for poison", "failed")
    assert [failure.stage for failure in analysis.failures] == ["directness"]


def test_keys_are_sent_and_not_shown() -> None:
    with real_service(ServiceSettings(api_keys=("open-sesame-open",))) as url:
        assert Remote(TURNS, patient(url, "open-sesame-open")).predict([PLAIN])[0].failures == ()
        service = patient(url, "wrong-key")
        (failure,) = Remote(TURNS, service).predict([PLAIN])[0].failures
    assert failure.stage == "service"
    assert "/v1/turns answered 401: This path needs an API key" in failure.message
    assert "wrong-key" not in failure.message + repr(service.settings)
    assert not service.breaker.is_open


def test_connections_are_kept() -> None:
    with loopback(analysing(lambda texts: None)) as server:
        remote = Remote(TURNS, patient(server.url))
        assert all(not remote.predict([WISH])[0].failures for _ in range(5))
        assert (server.connections, len(server.requests)) == (1, 5)


def test_a_connection_that_the_server_closed_costs_no_message() -> None:
    answer = analysing(lambda texts: None)

    def once(connection: socket.socket, request: bytes) -> bool:
        answer(connection, request)
        return False

    with loopback(once) as server:
        remote = Remote(TURNS, patient(server.url))
        assert all(not remote.predict([WISH])[0].failures for _ in range(5))


def test_a_connection_that_is_closed_as_it_is_used_costs_no_message() -> None:
    answer = analysing(lambda texts: None)
    served = threading.local()

    def every_other(connection: socket.socket, request: bytes) -> bool:
        if getattr(served, "once", False):  # a thread a connection: this is its second request
            return False
        served.once = True
        return answer(connection, request)

    with loopback(every_other) as server:
        remote = Remote(TURNS, patient(server.url))
        assert all(not remote.predict([WISH])[0].failures for _ in range(4))
        assert len(server.requests) == 4 + 3


def _refuses() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@contextmanager
def _full_queue() -> Iterator[str]:
    """An address that takes no more connections and refuses none: packets go into a black hole."""
    with socket.socket() as listening, socket.socket() as first, socket.socket() as second:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for caller in (first, second):
            caller.setblocking(False)
            caller.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def _at(server: LoopbackServer) -> Iterator[str]:
    try:
        yield server.url
    finally:
        server.stop()


@contextmanager
def _just(url: str) -> Iterator[str]:
    yield url


def _say_what(connection: socket.socket, _: bytes) -> bool:
    connection.sendall(b"what?\r\n\r\n")
    return False


NEVER = threading.Event()
UNREACHABLE: dict[str, Callable[[], object]] = {
    "hangs": lambda: _at(LoopbackServer(hanging(NEVER), healthy=False)),
    "drips headers": lambda: _at(LoopbackServer(dripping(b"HTTP/1.1 200 OK\r\nx: ", NEVER), healthy=False)),
    "drips body": lambda: _at(LoopbackServer(dripping(b"HTTP/1.1 200 OK\r\ncontent-length: 90000\r\n\r\n", NEVER), healthy=False)),
    "closes": lambda: _at(LoopbackServer(lambda *_: False, healthy=False)),
    "500": lambda: _at(LoopbackServer(saying({"detail": "broken"}, "500 Internal Server Error"), healthy=False)),
    "503": lambda: _at(LoopbackServer(saying(b"<html>", "503 Service Unavailable"), healthy=False)),
    "no HTTP": lambda: _at(LoopbackServer(_say_what, healthy=False)),
    "refuses": lambda: _just(_refuses()),
    "black hole": lambda: _full_queue(),
    "no such host": lambda: _just("http://grice.invalid:8300"),
}


@pytest.mark.parametrize("kind", UNREACHABLE)
def test_a_service_that_does_not_answer_costs_one_deadline_once(kind: str) -> None:
    with UNREACHABLE[kind]() as url:  # type: ignore[attr-defined]
        service = hasty(url)
        remote = Remote(TURNS, service, mode="append")
        began = time.monotonic()
        analyses = [remote.predict([WISH])[0] for _ in range(20)]
        took = time.monotonic() - began
        assert service.breaker.is_open
    assert took < GENEROUS_S
    assert all((analysis.text, analysis.decision, analysis.reason) == (WISH.last.text, "pass", "failed") for analysis in analyses)
    failures = [analysis.failures[0] for analysis in analyses]
    assert failures[0].error in ("DeadlineExceeded", "ServiceError")
    assert {failure.error for failure in failures[1:]} == {"CircuitOpen"}
    assert all("is not asked until it answers again; it failed before: " in failure.message for failure in failures[1:])
    with pytest.raises(CircuitOpen):
        Remote(DIRECTNESS, service).predict([WISH])


@pytest.mark.parametrize("start", [None, b"HTTP/1.1 200 OK\r\nx: ", b"HTTP/1.1 200 OK\r\ncontent-length: 90000\r\n\r\n"])
def test_nobody_goes_on_waiting_after_the_deadline(start: bytes | None) -> None:
    gone = threading.Event()
    with loopback(hanging(gone) if start is None else dripping(start, gone)) as server:
        with pytest.raises(DeadlineExceeded, match=r"POST http://127.0.0.1:[0-9]+/v1/directness did not answer within 200 ms"):
            Remote(DIRECTNESS, hasty(server.url)).predict([WISH])
        assert gone.wait(20)


@pytest.mark.parametrize("status", ["400 Bad Request", "429 Too Many Requests", "404 Not Found", "307 Temporary Redirect"])
def test_a_request_that_is_refused_does_not_open_the_circuit(status: str) -> None:
    with loopback(saying({"detail": "not so"}, status, "location: http://127.0.0.1:1/\r\n")) as server:
        service = patient(server.url)
        (failure,) = Remote(TURNS, service).predict([WISH])[0].failures
        assert failure.error == "ServiceError"
        assert failure.message == f"/v1/turns answered {status[:3]}: not so"
        assert not service.breaker.is_open


ROW = turn_row({"turns": [{"text": "I wish it were warmer"}]}, lambda texts: "Turn it up.")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"<html>Hello</html>", "no JSON but b'<html>Hello</html>'"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        ([], "schema_version None; this client reads 1"),
        ({"items": [ROW], "schema_version": 2}, "schema_version 2; this client reads 1"),
        ({"items": [], "schema_version": 1}, "on 1 items"),
        ({"items": [ROW, ROW], "schema_version": 1}, "on 1 items"),
        ({"items": "x", "schema_version": 1}, "'x' on 1 items"),
        ({"items": ["x"], "schema_version": 1}, "the service answered original: None"),
        ({"items": [{**ROW, "original": "Other"}], "schema_version": 1}, "original: 'Other'"),
        ({"items": [{**ROW, "text": None}], "schema_version": 1}, "text: None"),
        ({"items": [{**ROW, "decision": "guess"}], "schema_version": 1}, "decision: 'guess'"),
        ({"items": [{**ROW, "directness": {"score": 7}}], "schema_version": 1}, "score: 7"),
        ({"items": [{**ROW, "directness": {"score": True}}], "schema_version": 1}, "score: True"),
        ({"items": [{**ROW, "rewrite": {"text": "x", "confidence": 0.5, "tokens": True}}], "schema_version": 1}, "tokens: True"),
        ({"items": [{**ROW, "findings": [{"kind": "new"}]}], "schema_version": 1}, "kind: 'new'"),
        ({"items": [{**ROW, "failures": [{"stage": "moon"}]}], "schema_version": 1}, "stage: 'moon'"),
    ],
)
def test_an_answer_of_another_shape_is_a_failure(answer: object, message: str) -> None:
    with loopback(saying(answer)) as server:
        (analysis,) = Remote(TURNS, patient(server.url)).predict([WISH])
    assert (analysis.text, analysis.reason, analysis.failures[0].error) == (WISH.last.text, "failed", "ServiceError")
    assert message in analysis.failures[0].message


def test_an_endless_answer_is_not_kept() -> None:
    with loopback(saying(b"x" * 9_000_000)) as server:
        (analysis,) = Remote(TURNS, patient(server.url)).predict([WISH])
    assert "more than 8000000 bytes" in analysis.failures[0].message


FAKES = """
import sys
sys.path.insert(0, sys.argv[1])
from fake_models import fakes
from grice.middleware.cli.serve import announce
from grice.middleware.service.http.server import serve
from grice.middleware.settings import ServiceSettings
serve(fakes(), ServiceSettings(port=int(sys.argv[2])), announce)
"""


def started(port: int) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-c", FAKES, str(FIXTURES), str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().split()[3]


def test_a_service_that_hangs_dies_and_comes_back_is_used_again() -> None:
    process, url = started(0)
    processes = [process]
    try:
        service = hasty(url)
        remote = Remote(TURNS, service, mode="append")
        eventually(lambda: not remote.predict([WISH])[0].failures)
        process.send_signal(signal.SIGSTOP)
        assert remote.predict([WISH])[0].failures[0].error == "DeadlineExceeded"
        began = time.monotonic()
        assert remote.predict([WISH])[0].failures[0].error == "CircuitOpen"
        assert time.monotonic() - began < GENEROUS_S
        process.send_signal(signal.SIGCONT)
        eventually(lambda: not service.breaker.is_open)
        eventually(lambda: not remote.predict([WISH])[0].failures)
        process.kill()
        process.wait()
        eventually(lambda: remote.predict([WISH])[0].failures != ())
        again, url_again = started(int(url.rsplit(":", 1)[1]))
        processes.append(again)
        assert url_again == url
        eventually(lambda: not remote.predict([WISH])[0].failures)
    finally:
        for each in processes:
            each.kill()
            each.communicate()


def test_a_service_that_answers_only_probes_is_asked_less_and_less() -> None:
    with loopback(saying({"detail": "broken"}, "500 Internal Server Error")) as server:
        service = RemoteService(RemoteSettings(server.url, deadline_ms=PATIENT_MS), probe_every_s=0.02)
        remote = Remote(TURNS, service)
        pauses = []
        for _ in range(4):
            began = time.monotonic()
            remote.predict([WISH])
            eventually(lambda: not service.breaker.is_open)
            pauses.append(time.monotonic() - began)
        assert len(server.requests) == 4
        assert pauses[3] > 0.15  # 8 times 20 ms; it may be more, never less
        server.answer = analysing(lambda texts: None)
        assert remote.predict([WISH])[0].failures == ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"url": "localhost:8300"}, "setting url: got 'localhost:8300'; allowed: the address of the service, for instance http"),
        ({"url": "ftp://localhost"}, "setting url"),
        ({"url": "http://"}, "setting url"),
        ({"url": "http://host:port"}, "setting url"),
        ({"url": "http://host/v1?x=1"}, "setting url"),
        ({"url": "http://user:secret@host"}, "setting url"),
        ({"url": None}, "setting url: got None"),
        ({"url": "http://a", "deadline_ms": 0}, "setting deadline_ms: got 0; allowed: 1 to 60000"),
        ({"url": "http://a", "deadline_ms": "fast"}, "setting deadline_ms: got 'fast'"),
        ({"url": "http://a", "api_key": "line\nbreak"}, "setting api_key: got 'a value that is not shown'"),
    ],
)
def test_settings_out_of_range_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        RemoteSettings(**values)  # type: ignore[arg-type]


def test_a_path_in_front_is_kept() -> None:
    with loopback(analysing(lambda texts: None)) as server:
        assert Remote(TURNS, patient(server.url + "/grice/")).predict([WISH])[0].failures == ()
        assert server.requests[0].startswith(b"POST /grice/v1/turns HTTP/1.1")


def test_without_urllib3_the_install_line_is_named() -> None:
    program = (
        "import sys; sys.modules['urllib3'] = None\n"
        "from grice.middleware.capabilities.turns import TURNS\n"
        "from grice.middleware.client import Remote, RemoteSettings\n"
        "Remote(TURNS, RemoteSettings('http://127.0.0.1:8300'))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "urllib3 is not installed; run: pip install 'grice[rasa]'" in result.stderr


def test_errors_of_the_service_are_errors_of_grice() -> None:
    with loopback(saying(b"no")) as server, pytest.raises(ServiceError, match="is the url that of Grice"):
        Remote(DIRECTNESS, patient(server.url)).predict([WISH])
