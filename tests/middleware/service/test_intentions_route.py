"""POST /v1/intentions, on a real server with a fake detector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import FakeIntentions, fakes
from live_service import serving

from grice.middleware.service.http.app import create_app
from grice.models.results import FACE_ACTS

BOT = {"speaker": "bot", "text": "Give us some, that is hneg-."}
USER = {"speaker": "user", "text": "You waste it, that is hpos-."}
NONE = dict.fromkeys(FACE_ACTS, 0)


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(intentions=FakeIntentions()))) as client:
        yield client


def detect(client: httpx.Client, body: object) -> dict[str, Any]:
    response = client.post("/v1/intentions", json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def test_a_conversation(client: httpx.Client) -> None:
    assert detect(client, {"turns": [BOT, USER]}) == {
        "role": "persuadee",
        "label": "hpos-",
        "probabilities": {label: float(label == "hpos-") for label in FACE_ACTS},
        "roles": ["persuader", "persuadee"],
        "labels": ["hneg-", "hpos-"],
        "agreement": [0.0, 0.5],
        "counts": {"persuader": {**NONE, "hneg-": 1}, "persuadee": {**NONE, "hpos-": 1}},
        "balance": {"persuader": -1, "persuadee": -1},
        "history_read": 1,
        "history_cut": 0,
        "text_cut": False,
        "failures": [],
    }


def test_the_user_may_be_the_one_who_persuades(client: httpx.Client) -> None:
    found = detect(client, {"turns": [BOT, USER], "user_role": "persuader"})
    assert found["roles"] == ["persuadee", "persuader"]
    assert found["counts"]["persuader"] == {**NONE, "hpos-": 1}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"text": "Fine.", "user_role": "seller"}, "user_role"),
        ({"text": "Fine.", "speaker": "system"}, "speaker"),
        ({"text": "Fine.", "turns": [USER]}, ""),
        ({"items": [{"text": "Fine."}] * 65}, "items"),
    ],
)
def test_bad_requests(client: httpx.Client, body: object, place: str) -> None:
    response = client.post("/v1/intentions", json=body)
    assert response.status_code == 422
    assert place in response.text
