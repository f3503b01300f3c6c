"""A service that is told to stop: what it has taken is answered, and it says that it stops."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import httpx
import pytest
from fake_models import FakeDirectness, FakeRewriter, TrustingGuard, fakes
from live_service import eventually

from grice.benchmarks.hostile.drain import drain
from grice.benchmarks.hostile.stand_in import Service
from grice.middleware.service.http.app import create_app
from grice.middleware.service.http.server import Server
from grice.middleware.settings import ConnectionSettings, PipelineSettings, ServiceSettings
from grice.middleware.turns.pipeline import Pipeline


class Running:
    """A server in a thread whose one model waits for its gate."""

    def __init__(self, settings: ServiceSettings | None = None, **limits: float) -> None:
        self.model = FakeDirectness()
        patient = PipelineSettings(deadline_ms=60_000)
        app = create_app(fakes(Pipeline(self.model, FakeRewriter(), patient, TrustingGuard())), settings)
        addresses: list[str] = []
        self.server = Server(app, "127.0.0.1", 0, addresses.append, ConnectionSettings(**limits))  # type: ignore[arg-type]
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        eventually(lambda: bool(addresses))
        self.address = addresses[0]
        self.answers: list[httpx.Response] = []

    def ask(self) -> threading.Thread:
        """Send a request, in a thread, that the model is held back on."""
        self.model.gate.clear()
        asked = len(self.model.batches)
        thread = threading.Thread(target=self.send)
        thread.start()
        eventually(lambda: len(self.model.batches) > asked)
        return thread

    def send(self) -> None:
        """Send a request, and keep its answer."""
        self.answers.append(httpx.post(f"{self.address}/v1/turns", json={"text": "Hello."}, trust_env=False, timeout=60))

    def end(self) -> None:
        self.model.gate.set()
        self.server.should_exit = True
        self.thread.join(60)
        assert not self.thread.is_alive()


def is_refused(address: str) -> bool:
    try:
        httpx.get(f"{address}/health/live", trust_env=False, timeout=60)
    except httpx.ConnectError:
        return True
    return False


def test_a_service_in_which_something_waits_for_too_long_is_not_ready() -> None:
    running = Running(ServiceSettings(batch_size=1, ready_queue_s=0.1))
    first = running.ask()
    second = threading.Thread(target=running.send)
    second.start()
    with httpx.Client(base_url=running.address, trust_env=False, timeout=60) as client:
        eventually(lambda: client.get("/health/ready").status_code == 503)
        found = client.get("/health/ready").json()
        assert found["status"] == "busy"
        assert found["queue_age_s"] > 0.1
        running.model.gate.set()
        eventually(lambda: client.get("/health/ready").status_code == 200)
    for thread in (first, second):
        thread.join()
    running.end()


def test_what_was_taken_is_answered_and_says_that_it_is_the_last() -> None:
    running = Running()
    asking = running.ask()
    running.server.should_exit = True
    eventually(lambda: is_refused(running.address))
    running.end()
    asking.join()
    (answer,) = running.answers
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")


def test_what_takes_longer_than_the_grace_is_told_to_come_again() -> None:
    running = Running(drain_s=0.2)
    asking = running.ask()
    running.server.should_exit = True
    asking.join()
    running.end()
    (answer,) = running.answers
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["type"] == "urn:grice:problem:stopping"


def test_a_balancer_sees_that_the_service_stops_before_it_does() -> None:
    running = Running(drain_notice_s=30.0)
    with httpx.Client(base_url=running.address, trust_env=False, timeout=60) as client:
        assert client.get("/health/ready").json()["status"] == "ready"
        running.server.should_exit = True
        eventually(lambda: httpx.get(f"{running.address}/health/ready", trust_env=False, timeout=60).status_code == 503)
        answer = client.get("/health/ready")
        assert (answer.status_code, answer.json()["status"]) == (503, "draining")
        assert httpx.post(f"{running.address}/v1/turns", json={"text": "Hello."}, trust_env=False, timeout=60).status_code == 200
    running.server.force_exit = True
    running.end()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_nothing_is_lost_when_it_is_told_under_load(tmp_path: Path) -> None:
    found = drain(Service(ServiceSettings(port=0), ConnectionSettings(), 5.0, tmp_path / "log"), 3, seed=int(time.time()))
    assert not found.lost, (found, (tmp_path / "log").read_text())
    assert found.statuses == {"0": 3}
    assert found.answered


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_who_is_told_that_there_is_no_room_is_not_lost(tmp_path: Path) -> None:
    """Sixteen callers of a service that works on one call at a time, of 30 ms, and lets nobody wait longer than 60 ms."""
    crowded = ServiceSettings(port=0, batch_size=1, most_wait_ms=60.0)
    found = drain(Service(crowded, ConnectionSettings(), 30.0, tmp_path / "log"), 1, seed=1)
    assert not found.lost, (found, (tmp_path / "log").read_text())
    assert found.refused > 16  # each caller is refused once at the end; the rest had no room
    assert found.statuses == {"0": 1}
