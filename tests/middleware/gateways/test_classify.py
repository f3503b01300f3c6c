"""Classification in vLLM's form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fake_models import all_fakes, fakes
from live_service import serving

from grice.middleware.access import ApiKey, KeyFile, digest_of, make_secret
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(all_fakes())) as client:
        yield client


def test_directness(client: httpx.Client) -> None:
    answer = client.post("/classify", json={"model": "grice/directness", "input": ["I wish.", "Heat it."], "user": "x"}).json()
    assert answer["object"] == "list"
    assert answer["data"] == [
        {"index": 0, "label": "indirect", "probs": [0.05, 0.95], "num_classes": 2},
        {"index": 1, "label": "direct", "probs": [0.95, 0.05], "num_classes": 2},
    ]


def test_a_behaviour_is_scored_and_not_counted(client: httpx.Client) -> None:
    (found,) = client.post("/classify", json={"model": "grice/!Com", "input": "That is !Com."}).json()["data"]
    assert found == {"index": 0, "label": "!Com", "probs": [0.1, 0.9], "num_classes": 2}
    (found,) = client.post("/classify", json={"model": "grice/!Com", "input": "Fine."}).json()["data"]
    assert found["label"] == "absent"
    assert {each["scored"] for each in client.get("/v1/rates").json()["rates"]} == {0}


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        ({"model": "gpt", "input": "x"}, 422, "model: got 'gpt'; allowed: grice/directness, grice/"),
        ({"model": "grice/directness", "input": []}, 422, "error"),
        ({"model": "grice/directness", "input": ["x"] * 65}, 422, "error"),
        ({"model": "grice/Red", "input": "poison"}, 503, "Red was not scored"),
    ],
)
def test_what_is_refused(client: httpx.Client, body: dict[str, object], status: int, detail: str) -> None:
    response = client.post("/classify", json=body)
    assert response.status_code == status
    assert detail in response.json()["detail"]


def test_without_a_monitor_behaviours_are_not_offered() -> None:
    with serving(create_app(fakes())) as client:
        assert client.post("/classify", json={"model": "grice/Red", "input": "x"}).status_code == 501


def test_scopes(tmp_path: Path) -> None:
    path, secret = tmp_path / "keys.json", make_secret()
    KeyFile(path).add(ApiKey("t", digest_of(secret), "acme", ("turns",)))
    with serving(create_app(all_fakes(), ServiceSettings(keys_file=str(path)))) as client:
        headers = {"authorization": f"Bearer {secret}"}
        assert client.post("/classify", json={"model": "grice/directness", "input": "x"}).status_code == 401
        assert client.post("/classify", json={"model": "grice/directness", "input": "x"}, headers=headers).status_code == 200
        assert client.post("/classify", json={"model": "grice/Red", "input": "x"}, headers=headers).status_code == 403
