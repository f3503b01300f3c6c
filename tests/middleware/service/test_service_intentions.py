"""POST /v1/intentions, on a real server with a fake detector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import READS, FakeIntentions, fakes
from live_service import RedisServer, serving

from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
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


def test_several_in_order(client: httpx.Client) -> None:
    items = [{"text": f"That is {label}.", "speaker": "bot"} for label in FACE_ACTS] * 8
    rows = detect(client, {"items": items})["items"]
    assert [row["label"] for row in rows] == [*FACE_ACTS] * 8
    assert {row["role"] for row in rows} == {"persuader"}


def test_a_long_conversation_is_cut_and_says_so(client: httpx.Client) -> None:
    found = detect(client, {"turns": [BOT, USER] * 20})
    assert (found["history_read"], found["history_cut"], len(found["labels"])) == (READS, 39 - READS, READS + 1)


def test_a_kept_dialogue_is_read_and_left_as_it_is(client: httpx.Client) -> None:
    client.post("/v1/turns", json={"dialogue_id": "kept", "bot": BOT["text"], "text": "Why?"})
    for _ in range(2):
        assert detect(client, {"dialogue_id": "kept", "text": USER["text"]})["labels"] == ["hneg-", "other", "hpos-"]
    assert len(client.get("/v1/dialogues/kept").json()["turns"]) == 2


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


def test_without_a_detector() -> None:
    with serving(create_app(fakes())) as client:
        response = client.post("/v1/intentions", json={"text": "Fine."})
        assert (response.status_code, response.json()["type"]) == (501, "urn:grice:problem:no-intentions")


def test_a_store_that_is_down_is_told(redis_server: RedisServer) -> None:
    settings = ServiceSettings(store="redis", redis_url=redis_server.url)
    with serving(create_app(fakes(intentions=FakeIntentions()), settings)) as client:
        redis_server.kill()
        found = detect(client, {"dialogue_id": "a", "text": USER["text"]})
    assert [failure["stage"] for failure in found["failures"]] == ["store"]
    assert found["labels"] == ["hpos-"]


def test_the_models_name_it(client: httpx.Client) -> None:
    models = {model["role"]: model["name"] for model in client.get("/v1/models").json()["models"]}
    assert models["intentions"] == "FakeIntentions"
