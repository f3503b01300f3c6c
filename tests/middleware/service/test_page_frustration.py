"""A frustrated user in the service and on its page, in a real browser: quoted, counted, and no fault of the response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import httpx
import pytest
from browser import Browser, browsing
from fake_models import FakeBehaviors, fakes
from live_service import serving
from relation_fixtures import WRONG, WordReader

from grice.middleware.monitor import Monitor
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models import load_frustration_detector
from grice.models.relations.results import RelationQuestion, ResponseRelations
from grice.models.relations.user_side import add_frustration
from grice.models.results import BEHAVIORS

ANGRY = "I have told you twice already. Let me talk to a human."
BEFORE = [{"speaker": "user", "text": "My parcel 88 has not come."}, {"speaker": "bot", "text": "What is its number?"}]


class UserReader(WordReader):
    """It also tells by the shipped model how frustrated the user is."""

    def predict(self, asked: Sequence[RelationQuestion]) -> list[ResponseRelations]:
        found = super().predict(asked)
        return [
            add_frustration(each, question.dialogue, load_frustration_detector())
            for each, question in zip(found, asked, strict=True)
        ]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), relations=UserReader())
    with serving(create_app(fakes(responses=monitor), ServiceSettings(live_every_s=0.1))) as client:
        for said, answer in ((ANGRY, f"It is {WRONG}."), ("It is 88.", "Thank you.")):
            turns = [*BEFORE, {"speaker": "user", "text": said}, {"speaker": "bot", "text": answer}]
            client.post("/v1/responses", json={"turns": turns}).raise_for_status()
        yield client


@pytest.fixture(scope="module")
def browser(client: httpx.Client) -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


def test_routes_tell_it(client: httpx.Client) -> None:
    turns = [*BEFORE, {"speaker": "user", "text": ANGRY}, {"speaker": "bot", "text": "I'll get a colleague."}]
    relations = client.post("/v1/responses", json={"turns": turns, "counted": False}).json()["relations"]
    (finding,) = relations["findings"]
    about = {"kind": "user", "place": 2, "sentence": 0, "start": 0, "end": len(ANGRY), "text": ANGRY}
    assert (finding["label"], finding["about"], finding["words"]) == ("user_frustration", about, None)
    assert relations["labels"]["user_frustration"] == finding["probability"]
    assert relations["alarm"] is False
    told = client.get("/v1/rates").json()["user_frustration"]
    assert (told["behavior"], told["shown"], told["scored"], told["unscored"]) == ("user_frustration", 1, 2, 0)
    (alarm,) = client.get("/v1/alarms").json()["alarms"]
    assert (alarm["user_frustration"]["shown"], alarm["user_frustration"]["words"]) == (True, ANGRY)
    assert [fault["label"] for fault in alarm["faults"]] == ["!Sel"]
    assert 'grice_user_frustration_total{bot_version="unknown",channel="unknown",result="shown"} 1.0' in client.get("/metrics").text


def test_the_inspector_quotes_the_user_and_marks_nothing_of_the_response(browser: Browser, client: httpx.Client) -> None:
    browser.open(f"{client.base_url}/")
    browser.wait_for("#connection", "Connected.")
    lines = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in (*BEFORE, {"speaker": "user", "text": ANGRY}))
    browser.run("document.querySelector('#source').open = true")
    browser.run("arguments[0].value = arguments[1]", browser.find("#dialogue"), f"{lines}\nbot: I'll get a colleague.")
    browser.find("#analyse").click()
    browser.wait_for("#status", "4 turns analysed.")
    assert "frustrated user before it" in browser.text("#turn-4 .found")
    assert ANGRY in browser.text("#turn-4 .found")
    assert "not worth an alarm" in browser.text("#turn-4 .found")
    assert browser.all("#turn-4 mark, #turn-3 mark, #turn-4 .badge.bad") == []


def test_operations_count_it_and_an_alarm_quotes_the_user(browser: Browser, client: httpx.Client) -> None:
    browser.open(f"{client.base_url}/#/operations")
    browser.wait_for("#rate-rows", "frustrated user")
    row = next(each.text for each in browser.all("#rate-rows tr") if "frustrated user" in each.text)
    assert "1 of 2" in row
    browser.wait_for("#alarms", "frustrated user (")
    assert ANGRY in browser.text("#alarms")
    assert [problem for problem in browser.problems() if "/favicon.ico" not in problem] == []
