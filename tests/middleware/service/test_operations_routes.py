"""Rates over time, two versions side by side, the state of alerts, and what people say of alarms: in memory and in Redis."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import FakeBehaviors, fake_monitor, fakes
from live_service import RedisServer, eventually, serving
from relation_fixtures import WRONG, WordReader

from grice.middleware.alerts import AlertSettings
from grice.middleware.feedback import Feedback
from grice.middleware.monitor import Monitor
from grice.middleware.monitor.alarm_log import read_log
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.dialogue import Turn
from grice.models.results import BEHAVIORS

RULES = {"rules": [{"kind": "threshold", "name": "often", "behaviors": ["Red"], "window_s": 3600, "above": 0.2, "min_scored": 3}]}


@pytest.fixture(params=["memory", "redis"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[httpx.Client]:
    store: dict[str, Any] = {}
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        store = {"store": "redis", "redis_url": server.url, "store_timeout_ms": 20_000}
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(RULES), encoding="utf-8")
    alerts = AlertSettings(alert_rules=str(rules), alert_every_s=0.05)
    app = create_app(fakes(responses=fake_monitor()), ServiceSettings(live_every_s=0.1, **store), alerts=alerts)
    with serving(app) as client:
        yield client


def say(client: httpx.Client, text: str, version: str = "1", times: int = 1, **more: Any) -> None:
    for _ in range(times):
        assert (
            client.post("/v1/responses", json={"text": text, "bot_version": version, "channel": "rest", **more}).status_code == 200
        )


def test_rates_over_time_add_up_to_the_rates(client: httpx.Client) -> None:
    say(client, "That is Red.", "1", 2)
    say(client, "That is fine.", "2", 3)
    found = client.get("/v1/rates/history", params={"window_s": 3600, "steps": 12}).json()
    assert len(found["ends"]) <= 13
    assert found["ends"] == sorted(found["ends"])
    red = next(each for each in found["series"] if each["behavior"] == "Red")
    assert (sum(red["shown"]), sum(red["scored"])) == (2, 5)
    last = max(place for place, count in enumerate(red["scored"]) if count)
    assert red["low"][last] <= red["share"][last] <= red["high"][last]
    apart = client.get("/v1/rates/history", params={"by": "bot_version"}).json()["series"]
    sums = {each["bot_version"]: (sum(each["shown"]), sum(each["scored"])) for each in apart if each["behavior"] == "Red"}
    assert sums == {"1": (2, 2), "2": (0, 3)}
    assert client.get("/v1/rates/history", params={"by": "weather"}).status_code == 422


def test_two_versions_are_held_against_each_other(client: httpx.Client) -> None:
    say(client, "That is Red.", "1", 6)
    say(client, "That is fine.", "2", 6)
    found = client.get("/v1/rates/comparison", params={"first": "1", "second": "2"}).json()
    red = next(each for each in found["differences"] if each["behavior"] == "Red")
    assert (red["first"]["share"], red["second"]["share"], red["difference"]) == (1.0, 0.0, -1.0)
    assert red["low"] <= -1.0 < red["high"] < 0
    assert red["p"] == pytest.approx(2 / 924)  # two of the C(12, 6) tables are so extreme
    assert red["p_adjusted"] == pytest.approx(9 * 2 / 924)
    nobody = client.get("/v1/rates/comparison", params={"first": "1", "second": "none"}).json()["differences"]
    assert {(each["difference"], each["p"]) for each in nobody} == {(None, None)}


def test_alerts_tell_rules_state_and_history(client: httpx.Client) -> None:
    quiet = client.get("/v1/alerts").json()
    assert [(each["name"], each["firing"]) for each in quiet["rules"]] == [("often", 0)]
    assert "above 20.0%" in quiet["rules"][0]["says"]
    say(client, "That is Red.", times=20)
    eventually(lambda: bool(client.get("/v1/alerts").json()["history"]))
    found = client.get("/v1/alerts").json()
    assert [(each["rule"], each["behavior"]) for each in found["firing"]] == [("often", "Red")]
    (told,) = found["history"]
    assert (told["state"], told["id"], told["limit"]) == ("firing", found["firing"][0]["id"], 0.2)
    assert told["summary"].startswith("often: Red is firing")
    assert found["rules"][0]["firing"] == 1


def test_without_rules_nothing_is_watched() -> None:
    with serving(create_app(fakes(), ServiceSettings())) as client:
        assert client.get("/v1/alerts").json() == {"watched": False, "rules": [], "firing": [], "history": [], "schema_version": 1}


def test_a_wrong_alarm_becomes_a_labelled_response(client: httpx.Client, tmp_path: Path) -> None:
    event = {"event_id": "e1", "dialogue_id": "ann", "speaker": "user", "text": "Do you sell bread?", "timestamp": 1.0}
    client.post("/v1/events", json=event)
    say(client, "We do, that is Red.", dialogue_id="ann", event_id="e2")
    say(client, "That is Ign.")
    say(client, "Now that is !Sel.")
    eventually(lambda: len(client.get("/v1/alarms").json()["alarms"]) == 3)
    places = {each["text"]: each["place"] for each in client.get("/v1/alarms").json()["alarms"]}
    for text, verdict in (("We do, that is Red.", "right"), ("We do, that is Red.", "wrong"), ("Now that is !Sel.", "seen")):
        said = client.post(f"/v1/alarms/{places[text]}/feedback", json={"verdict": verdict}).json()
        assert (said["verdict"], said["place"]) == (verdict, places[text])
    body = {"verdict": "right", "turns": [{"speaker": "user", "text": "Where are you?"}]}
    client.post(f"/v1/alarms/{places['That is Ign.']}/feedback", json=body)
    assert [each["verdict"] for each in client.get("/v1/alarms").json()["alarms"]] == ["seen", "right", "wrong"]
    log = tmp_path / "labelled.jsonl"
    log.write_text(client.get("/v1/alarms/feedback").text, encoding="utf-8")
    read = [
        (each.question.dialogue.last.text, each.bad, [turn.text for turn in each.question.dialogue.history])
        for each in read_log(log)
    ]
    assert read == [("We do, that is Red.", False, ["Do you sell bread?"]), ("That is Ign.", True, ["Where are you?"])]


def test_a_judged_alarm_keeps_what_the_bot_knew_and_says_where_it_comes_from() -> None:
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), relations=WordReader())
    with serving(create_app(fakes(responses=monitor), ServiceSettings())) as client:
        known: dict[str, Any] = {"documents": ["The shed is green."], "facts": [{"roof": "grey"}], "policy": ["Be brief."]}
        known["setting"] = "task"
        turns = [{"speaker": "bot", "text": "It is green."}, {"speaker": "bot", "text": f"All {WRONG}."}]
        assert client.post("/v1/responses", json={"turns": turns, **known}).status_code == 200
        (alarm,) = client.get("/v1/alarms").json()["alarms"]
        client.post(f"/v1/alarms/{alarm['place']}/feedback", json={"verdict": "wrong"})
        row = json.loads(client.get("/v1/alarms/feedback").text)
        rates = client.get("/v1/rates").json()
        metrics = client.get("/metrics").text
    assert {name: row[name] for name in known} == known
    assert (row["from"], row["bad"]) == ("alarm", False)
    assert (rates["alarms"]["behavior"], rates["alarms"]["shown"], rates["alarms"]["scored"]) == ("alarm", 1, 1)
    assert 'grice_alarms_total{setting="task"} 1.0' in metrics


def test_feedback_that_was_kept_before_is_read() -> None:
    feedback = Feedback("1-0", "right", 1.0, "e", "d", "Hello!", None, None, ("Red",), (Turn("user", "Hi!"),), "chat", ("Hello.",))
    values = json.loads(feedback.to_json())
    old = {name: value for name, value in values.items() if name not in ("setting", "documents", "facts", "policy")}
    assert Feedback.from_json(feedback.to_json()) == feedback
    assert Feedback.from_json(json.dumps(old)) == replace(feedback, setting=None, documents=())


def test_what_is_no_alarm_cannot_be_judged(client: httpx.Client) -> None:
    answer = client.post("/v1/alarms/1-1/feedback", json={"verdict": "wrong"})
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (404, "unknown-alarm")
    say(client, "That is Ign.")
    eventually(lambda: bool(client.get("/v1/alarms").json()["alarms"]))
    place = client.get("/v1/alarms").json()["alarms"][0]["place"]
    assert client.post(f"/v1/alarms/{place}/feedback", json={"verdict": "meh"}).status_code == 422
    assert client.get("/v1/alarms/feedback").text == ""
