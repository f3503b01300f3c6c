"""The intention detector behind the REST service, against the real service and against answers that misbehave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_models import FakeIntentions, fakes
from live_service import serving
from loopback_server import loopback, saying

from grice.middleware.capabilities.intentions import INTENTIONS
from grice.middleware.client import Remote, RemoteService, RemoteSettings
from grice.middleware.service.http.app import create_app
from grice.models.dialogue import Dialogue
from grice.models.errors import ServiceError
from grice.models.results import FACE_ACTS

DOUBT = Dialogue.of("You waste it, that is hpos-.", [("bot", "Give us some, that is hneg-.")])
FINE = Dialogue.of("Good morning.", speaker="bot")
ROW: dict[str, Any] = {
    "probabilities": {label: float(label == "other") for label in FACE_ACTS},
    "labels": ["other"],
    "roles": ["persuader"],
    "agreement": [0.5],
    "history_read": 0,
    "history_cut": 0,
    "text_cut": False,
}


def patient(url: str) -> RemoteService:
    return RemoteService(RemoteSettings(url, "", 20_000))


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(intentions=FakeIntentions()))) as client:
        yield client


def test_it_finds_what_the_model_in_process_does(client: httpx.Client) -> None:
    dialogues = [DOUBT, FINE] * 40
    assert Remote(INTENTIONS, patient(str(client.base_url))).predict(dialogues) == FakeIntentions().predict(dialogues)


def test_the_user_may_be_the_one_who_persuades(client: httpx.Client) -> None:
    (found,) = Remote(INTENTIONS, patient(str(client.base_url)), user_role="persuader").predict([DOUBT])
    assert found.roles == ("persuadee", "persuader")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"probabilities": {"other": 1.0}}, "intentions"),
        ({"probabilities": {**ROW["probabilities"], "other": 2}}, "other: 2"),
        ({"labels": ["rude"]}, "labels: 'rude'"),
        ({"labels": ["other", "other"]}, "intentions"),
        ({"roles": ["seller"]}, "roles: 'seller'"),
        ({"agreement": ["much"]}, "agreement: 'much'"),
        ({"agreement": []}, "intentions"),
        ({"history_read": 3}, "labels"),
    ],
)
def test_answers_that_are_none(changes: dict[str, object], message: str) -> None:
    answer = saying({"items": [{**ROW, **changes}], "schema_version": 1})
    with loopback(answer) as server, pytest.raises(ServiceError, match=f"the service answered {message}"):
        Remote(INTENTIONS, patient(server.url)).predict([FINE])
