"""The header that tells how long the stages of a call took."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fake_models import FakeDirectness, FakeMeaning, FakeRewriter, FakeSlots, TrustingGuard, fakes
from live_service import eventually, serving

from grice.middleware.capabilities.meaning import MeaningReporter
from grice.middleware.capabilities.slots import SlotReporter
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.middleware.turns.pipeline import Pipeline

MENU = {"intents": [{"name": "rent_kayak"}, {"name": "give_back"}]}
SLOT = {"name": "price", "description": "What it costs", "values": ["cheap", "dear"]}
DIRECT, INDIRECT = {"text": "Book it."}, {"text": "I wish it were warmer."}
DIRECTNESS = FakeDirectness()


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    pipeline = Pipeline(DIRECTNESS, FakeRewriter(), guard=TrustingGuard(), reader=FakeMeaning())
    models = fakes(pipeline, slots=SlotReporter(FakeSlots()), meaning=MeaningReporter(FakeMeaning()))
    with serving(create_app(models, ServiceSettings())) as client:
        yield client


def stages(response: httpx.Response) -> list[str]:
    """The stages that the header names."""
    told = response.headers.get("server-timing", "")
    assert all(re.fullmatch(r"[a-z]+;dur=\d+\.\d", each) for each in told.split(", ") if each), told
    return [each.partition(";")[0] for each in told.split(", ") if each]


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/v1/turns", DIRECT, ["directness"]),
        ("/v1/turns", INDIRECT, ["directness", "meaning", "rewriter", "guard"]),
        ("/v1/turns", {**INDIRECT, "schema": MENU}, ["meaning"]),
        ("/v1/turns", {"items": [DIRECT, INDIRECT]}, ["directness", "meaning", "rewriter", "guard"]),
        ("/v1/meaning", {"text": "To rent_kayak.", "schema": MENU}, ["meaning"]),
        ("/v1/slots", {"text": "Cheap.", "slots": [SLOT]}, ["slots"]),
        ("/v1/directness", DIRECT, []),
    ],
)
def test_a_call_is_told_its_stages(client: httpx.Client, path: str, body: dict[str, Any], expected: list[str]) -> None:
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    assert stages(response) == expected
    assert "dur" not in response.text  # the answer is the same for the same turn, whatever time it took


def test_a_stage_that_fails_is_told(client: httpx.Client) -> None:
    response = client.post("/v1/turns", json={"text": "poison"})
    assert response.json()["failures"][0]["stage"] == "directness"
    assert stages(response) == ["directness"]


def test_a_refused_call_has_no_stages(client: httpx.Client) -> None:
    response = client.post("/v1/turns", json={"text": ""})
    assert response.status_code == 422
    assert "server-timing" not in response.headers


def test_calls_of_one_batch_share_its_times_and_no_others(client: httpx.Client) -> None:
    DIRECTNESS.gate.clear()
    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(client.post, "/v1/turns", json=DIRECT)
        eventually(lambda: 'grice_queue_depth{model="turns"} 0.0' in client.get("/metrics").text and not first.done())
        others = [threads.submit(client.post, "/v1/turns", json=each) for each in (DIRECT, INDIRECT)]
        eventually(lambda: 'grice_queue_depth{model="turns"} 2.0' in client.get("/metrics").text)
        DIRECTNESS.gate.set()
        assert stages(first.result()) == ["directness"]
        direct, indirect = (each.result() for each in others)
    assert stages(indirect) == ["directness", "meaning", "rewriter", "guard"]
    assert direct.headers["server-timing"] == indirect.headers["server-timing"]
