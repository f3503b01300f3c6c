"""What POST /v1/intentions and POST /v1/mind answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import all_fakes
from live_service import serving

from grice.middleware.service.http.app import create_app
from grice.models.results import FACE_ACTS

NONE = dict.fromkeys(FACE_ACTS, 0)
ASKED = {"speaker": "bot", "text": "Give us a little, that is hneg-."}
DOUBTED = {"speaker": "user", "text": "You waste it, that is hpos-."}
SUGGESTED = {"speaker": "bot", "text": "Have you seen Lantern Bay (1999)?"}
LIKED = {"speaker": "user", "text": "I have, and I liked it."}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(all_fakes())) as client:
        yield client


def post(client: httpx.Client, path: str, body: object) -> dict[str, Any]:
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def test_face_acts_of_a_conversation(client: httpx.Client) -> None:
    assert post(client, "/v1/intentions", {"turns": [ASKED, DOUBTED]}) == {
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
        "read_as": "charity",
        "far": False,
        "text_cut": False,
        "failures": [],
    }


def test_the_user_may_be_the_one_who_persuades(client: httpx.Client) -> None:
    found = post(client, "/v1/intentions", {"turns": [ASKED, DOUBTED], "user_role": "persuader"})
    assert found["roles"] == ["persuadee", "persuader"]
    assert found["counts"]["persuader"] == {**NONE, "hpos-": 1}


def test_who_says_a_bare_text(client: httpx.Client) -> None:
    assert post(client, "/v1/intentions", {"text": "Fine.", "speaker": "bot"})["role"] == "persuader"
    assert post(client, "/v1/mind", {"text": "Fine.", "speaker": "bot"})["turns"][0]["role"] == "recommender"


def test_the_minds_of_a_conversation(client: httpx.Client) -> None:
    found = post(client, "/v1/mind", {"turns": [SUGGESTED, LIKED]})
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
    found = post(client, "/v1/mind", {"turns": [SUGGESTED, LIKED], "seeker": "bot", "about": ["Lantern Bay", "Grey Dust"]})
    assert [turn["role"] for turn in found["turns"]] == ["seeker", "recommender"]
    assert [item["item"] for item in found["attitudes"]] == ["Lantern Bay", "Grey Dust"]
    assert found["next"]["role"] == "seeker"


def test_a_goal_chooses_the_heads(client: httpx.Client) -> None:
    found = post(client, "/v1/intentions", {"turns": [ASKED, DOUBTED], "goal": " fly to the moon "})
    assert (found["read_as"], found["far"]) == ("other", True)
    assert post(client, "/v1/intentions", {"turns": [ASKED], "goal": "   "})["read_as"] == "charity"
    assert client.post("/v1/intentions", json={"turns": [ASKED], "goal": "x" * 501}).status_code == 422
