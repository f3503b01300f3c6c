"""Deadlines and refusals as callers of the service see them."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest
from fake_models import FakeDirectness, fakes
from live_service import serving
from redis_process import eventually
from stepping_model import StepClock

from grice.middleware.service import batcher
from grice.middleware.service.http.app import create_app
from grice.middleware.service.http.arrivals import HEADER, deadline_ms
from grice.middleware.service.waiting.turnstile import Turnstile
from grice.middleware.settings import ServiceSettings
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.results import Directness

PATH = "/v1/directness"
ITEM = {"text": "Cheap!"}


def problem(response: httpx.Response, status: int, kind: str) -> dict[str, object]:
    found: dict[str, object] = response.json()
    assert (response.status_code, found["type"]) == (status, f"urn:grice:problem:{kind}"), response.text
    return found


@pytest.mark.parametrize("given", ["0", "-5", "1.5", "soon", "", "9" * 16, "٣"])
def test_a_deadline_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(InputError, match=f"header {HEADER}: got .*; allowed: a whole number of milliseconds, 1 or more"):
        deadline_ms(given, 60_000)


def test_the_header_is_refused_over_the_wire_too() -> None:
    with serving(create_app(fakes())) as client:
        refused = client.post(PATH, json=ITEM, headers={HEADER: "soon"})
        assert "header x-grice-deadline-ms: got 'soon'" in str(problem(refused, 422, "invalid-value")["detail"])
        assert client.post(PATH, json=ITEM, headers={HEADER: "60000"}).status_code == 200


@pytest.mark.parametrize(("own_ms", "given"), [(60_000, "300"), (300, "60000"), (300, None)])
def test_a_late_answer_is_503_and_its_work_is_not_waited_for(own_ms: int, given: str | None) -> None:
    model = FakeDirectness()
    model.gate.clear()
    with serving(create_app(fakes(directness=model), ServiceSettings(call_deadline_ms=own_ms))) as client:
        late = client.post(PATH, json={"items": [ITEM] * 64}, headers={} if given is None else {HEADER: given})
        detail = problem(late, 503, "deadline-exceeded")["detail"]
        assert detail == "there was no answer within 300 ms; send fewer items, or later"
        assert int(late.headers["retry-after"]) >= 1
        assert depth(client) == 0
        model.gate.set()
        assert client.post(PATH, json=ITEM, headers={HEADER: str(own_ms)}).status_code in (200, 503)
    assert sum(map(len, model.batches)) < 64 + 1


class SlowDirectness(FakeDirectness):
    """Each turn takes it 50 ms of `clock`."""

    def __init__(self, clock: StepClock) -> None:
        super().__init__()
        self.clock = clock

    def predict(self, dialogues: Sequence[Dialogue]) -> list[Directness]:
        self.clock.step(0.05 * len(dialogues))
        return super().predict(dialogues)


def test_a_call_that_would_wait_too_long_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = StepClock()
    model = SlowDirectness(clock)
    monkeypatch.setattr(batcher, "Turnstile", lambda: Turnstile(clock))
    with serving(create_app(fakes(directness=model), ServiceSettings(most_wait_ms=525))) as client, ThreadPoolExecutor(16) as pool:
        assert client.post(PATH, json=ITEM).status_code == 200  # from now on the queue knows how long an item takes
        model.gate.clear()
        calls = [pool.submit(client.post, PATH, json=ITEM)]
        eventually(lambda: len(model.batches) == 2)
        calls += [pool.submit(client.post, PATH, json=ITEM) for _ in range(11)]  # each may wait for 525 ms and 50 ms
        eventually(lambda: depth(client) == 11)
        unread = b"not JSON, as long"  # as the others
        refused = client.post(PATH, content=unread, headers={"content-type": "application/json"})
        model.gate.set()
        problem(refused, 429, "overloaded")
        assert int(refused.headers["retry-after"]) >= 1
        assert [each.result().status_code for each in calls] == [200] * 12
        metrics = client.get("/metrics").text
    assert 'grice_requests_total{method="POST",route="/v1/directness",status="429"} 1.0' in metrics
    assert 'grice_rejections_total{model="directness"} 1.0' in metrics
    assert re.search("^# HELP grice_rejections_total .* or the wait too long", metrics, re.MULTILINE)


def depth(client: httpx.Client) -> int:
    """How many items wait for the model."""
    found = re.search(r'grice_queue_depth\{model="directness"\} (\d+)', client.get("/metrics").text)
    return int(found[1]) if found else -1


def test_a_caller_who_leaves_gives_its_place_away() -> None:
    model = FakeDirectness()
    model.gate.clear()
    with serving(create_app(fakes(directness=model))) as client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, PATH, json=ITEM)
        eventually(lambda: len(model.batches) == 1)
        parts = urlsplit(str(client.base_url))
        body = b'{"items": [' + b",".join([b'{"text": "a"}'] * 20) + b"]}"
        with socket.create_connection((parts.hostname or "", parts.port or 0)) as leaving:
            head = f"POST {PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            leaving.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            eventually(lambda: depth(client) == 20)
        eventually(lambda: depth(client) == 0)
        model.gate.set()
        assert first.result().status_code == 200
    assert len(model.batches) == 1
