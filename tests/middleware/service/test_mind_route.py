"""POST /v1/mind, on a real server with a fake model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import FakeMind, fakes
from live_service import serving

from grice.middleware.service.http.app import create_app

BOT = {"speaker": "bot", "text": "Have you seen Lantern Bay (1999)?"}
USER = {"speaker": "user", "text": "I have, and I liked it."}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(mind=FakeMind()))) as client:
        yield client


def read(client: httpx.Client, body: object) -> dict[str, Any]:
    response = client.post("/v1/mind", json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def roles(row: dict[str, Any]) -> list[str]:
    return [turn["role"] for turn in row["turns"]]


def test_a_conversation(client: httpx.Client) -> None:
    found = read(client, {"turns": [BOT, USER]})
    assert [(turn["place"], turn["role"], turn["coarse"], turn["fine"]) for turn in found["turns"]] == [
        (0, "recommender", ["other"], ["other"]),
        (1, "seeker", ["other"], ["other"]),
    ]
    assert found["turns"][1]["probabilities"]["other"] == 1.0
    assert found["attitudes"] == [
        {"item": "Lantern Bay (1999)", "place": 1, "suggested_by": "seeker", "seen": 1.0, "liked": 1.0, "likely_to_watch": True}
    ]
    following = found["next"]
    assert (following["role"], following["strategies"]) == ("recommender", ["other"])
    assert following["effective"] == {"request": False, "respond": False, "recommend": False, "explain": False, "other": True}
    assert (found["history_read"], found["history_cut"], found["failures"]) == (1, 0, [])


def test_roles_and_items_are_the_callers(client: httpx.Client) -> None:
    found = read(client, {"turns": [BOT, USER], "seeker": "bot", "about": ["Lantern Bay", "Grey Dust"]})
    assert roles(found) == ["seeker", "recommender"]
    assert [item["item"] for item in found["attitudes"]] == ["Lantern Bay", "Grey Dust"]
    assert found["next"]["role"] == "seeker"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"text": "Fine.", "seeker": "both"}, "seeker"),
        ({"text": "Fine.", "speaker": "system"}, "speaker"),
        ({"text": "Fine.", "turns": [USER]}, ""),
        ({"text": "Fine.", "about": ["Grey Dust", "Grey Dust"]}, "each once"),
        ({"text": "Fine.", "about": [" "]}, "about"),
        ({"text": "Fine.", "about": [f"Film {number}" for number in range(33)]}, "about"),
        ({"items": [{"text": "Fine."}] * 65}, "items"),
    ],
)
def test_bad_requests(client: httpx.Client, body: object, place: str) -> None:
    response = client.post("/v1/mind", json=body)
    assert response.status_code == 422
    assert place in response.text
