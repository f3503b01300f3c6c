"""Rates, alarms and their stream of events, in memory and over Redis."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_models import fake_monitor, fakes
from fastapi import FastAPI
from live_service import RedisServer, eventually, serving

from grice.middleware.alerts import AlertSettings
from grice.middleware.monitor import ScoredResponse
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.behaviors.definitions import DEFINITIONS

QUICK = 0.05


def application(**settings: Any) -> FastAPI:
    return create_app(fakes(responses=fake_monitor()), ServiceSettings(live_every_s=QUICK, **settings))


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with serving(application()) as client:
        yield client


def say(client: httpx.Client, text: str, **more: object) -> None:
    assert client.post("/v1/responses", json={"text": text, **more}).status_code == 200


def rate(client: httpx.Client, behavior: str, **query: object) -> tuple[int, int, float | None]:
    response = client.get("/v1/rates", params={name: str(value) for name, value in query.items()})
    assert response.status_code == 200, response.text
    (found,) = [each for each in response.json()["rates"] if each["behavior"] == behavior]
    return found["shown"], found["scored"], found["share"]


def alarms(client: httpx.Client, **query: int) -> list[str]:
    return [alarm["text"] for alarm in client.get("/v1/alarms", params=query).json()["alarms"]]


class Events:
    """Reads a stream of events."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def next(self) -> dict[str, str]:
        """The next event or comment."""
        found: dict[str, str] = {}
        for line in self._lines:
            if not line and found:
                return found
            if line.startswith(":."):  # a proof that somebody reads
                continue
            name, _, value = line.partition(": ")
            if line:
                found[name or "comment"] = value
        raise EOFError

    def until(self, kind: str) -> dict[str, Any]:
        """The data of the next event of that kind."""
        while (event := self.next()).get("event") != kind:
            pass
        data: dict[str, Any] = json.loads(event["data"])
        return data


@contextmanager
def watching(client: httpx.Client, last: str = "", **query: str) -> Iterator[Events]:
    with client.stream("GET", "/v1/live", params=query, headers={"last-event-id": last} if last else {}) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        yield Events(response)


def test_rates_tell_what_was_shown(client: httpx.Client) -> None:
    assert rate(client, "Red") == (0, 0, None)
    say(client, "That is Red.", bot_version="1", channel="rest")
    say(client, "That is fine.", bot_version="2", channel="rest")
    say(client, "That is Red.", bot_version="2", channel="mail")
    assert rate(client, "Red") == (2, 3, 2 / 3)
    assert rate(client, "Red", bot_version="2") == (1, 2, 0.5)
    assert rate(client, "Red", bot_version="2", channel="mail", window_s=60) == (1, 1, 1.0)
    answer = client.get("/v1/rates").json()
    assert (answer["bot_versions"], answer["channels"]) == (["1", "2"], ["mail", "rest"])
    assert answer["rates"][0]["low"] < 1e-9 < answer["rates"][0]["high"]


def test_failures_and_what_is_not_counted(client: httpx.Client) -> None:
    say(client, "poison")
    say(client, "That is Ign.", counted=False)
    assert rate(client, "Ign") == (0, 0, None)
    assert [each["unscored"] for each in client.get("/v1/rates").json()["rates"]] == [1] * 9
    assert alarms(client) == []


def test_names_of_events_are_those_of_a_dialogue(client: httpx.Client) -> None:
    for more in ({}, {}, {"dialogue_id": "a"}, {"dialogue_id": "b"}):
        say(client, "That is Ign.", event_id="b1", **more)
    assert rate(client, "Ign") == (4, 4, 1.0)


def test_one_that_is_sent_again_is_counted_once(client: httpx.Client) -> None:
    for name in ("b1", "b1", "b2"):
        say(client, "That is Ign.", dialogue_id="d", event_id=name)
    assert rate(client, "Ign") == (2, 2, 1.0)
    assert len(alarms(client)) == 2
    assert 'grice_responses_total{bot_version="unknown",channel="unknown"} 2.0' in client.get("/metrics").text


@pytest.mark.parametrize("query", ["window_s=1", "window_s=x", "window_s=999999999", "bot_version=", "channel=" + "x" * 201])
def test_queries_out_of_range_are_refused(client: httpx.Client, query: str) -> None:
    for path in ("/v1/rates", "/v1/live"):
        assert client.get(f"{path}?{query}").status_code == 422


def test_alarms_are_undesired_and_bounded() -> None:
    with serving(application(alarms_kept=3)) as client:
        for text in ("That is Emp.", "One is Ign.", "Two is fine.", "Three is Red Emp.", "Four is !Sel.", "Five is !Rel."):
            say(client, text)
        assert alarms(client) == ["Five is !Rel.", "Four is !Sel.", "Three is Red Emp."]
        assert alarms(client, last=1) == ["Five is !Rel."]
        newest = client.get("/v1/alarms").json()["alarms"][0]
    assert (newest["shown"], newest["dialogue_id"], newest["probabilities"]["!Rel"]) == (["!Rel"], None, 0.9)
    assert abs(newest["timestamp"] - time.time()) < 60


def test_the_behaviours_in_words(client: httpx.Client) -> None:
    behaviors = client.get("/v1/behaviors").json()["behaviors"]
    assert [(each["label"], each["name"], each["definition"]) for each in behaviors] == [
        (each.label, each.name, each.definition) for each in DEFINITIONS.values()
    ]
    assert {each["threshold"] for each in behaviors} == {0.5}


def test_live_tells_what_was_and_what_comes(client: httpx.Client) -> None:
    say(client, "Before is Ign.")
    with watching(client) as events, httpx.Client(base_url=client.base_url, trust_env=False) as other:
        assert events.next() == {"retry": "2000"}
        assert events.until("alarm")["text"] == "Before is Ign."
        first = events.until("rates")
        assert [each["scored"] for each in first["rates"]] == [1] * 9
        assert events.next() == {"comment": "still here"}
        say(other, "Then is Red.")
        assert events.until("alarm")["text"] == "Then is Red."
        while [each["scored"] for each in events.until("rates")["rates"]] != [2] * 9:
            pass


def test_live_goes_on_after_the_last_event(client: httpx.Client) -> None:
    for text in ("One is Ign.", "Two is Ign.", "Three is Ign."):
        say(client, text)
    place = client.get("/v1/alarms").json()["alarms"][1]["place"]
    with watching(client, place) as events:
        assert events.until("alarm")["text"] == "Three is Ign."
        assert events.next()["event"] == "rates"
    response = client.get("/v1/live", headers={"last-event-id": "yesterday"})
    assert (response.status_code, "Last-Event-ID" in response.json()["detail"]) == (422, True)


def test_live_tells_of_one_version_only(client: httpx.Client) -> None:
    say(client, "That is Red.", bot_version="1")
    with watching(client, bot_version="2") as events:
        assert [each["scored"] for each in events.until("rates")["rates"]] == [0] * 9


def test_the_number_of_watchers_is_bounded() -> None:
    with serving(application(live_clients=2)) as client:
        with watching(client) as one, watching(client) as two:
            assert (one.next(), two.next()) == ({"retry": "2000"},) * 2
            refused = client.get("/v1/live")
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "10")
            assert "grice_live_clients 2.0" in client.get("/metrics").text
        eventually(lambda: "grice_live_clients 0.0" in client.get("/metrics").text)
        with watching(client) as again:
            again.until("rates")


def test_streams_end_when_the_service_stops() -> None:
    with ThreadPoolExecutor(3) as pool:
        with serving(application()) as client:
            readers = [httpx.Client(base_url=client.base_url, timeout=60, trust_env=False) for _ in range(3)]
            ends = [pool.submit(_read_to_the_end, reader) for reader in readers]
            eventually(lambda: "grice_live_clients 3.0" in client.get("/metrics").text)
        assert all(end.result(30) for end in ends)


def _read_to_the_end(client: httpx.Client) -> bool:
    """A stream that the server cuts, after having waited for it in vain, has no end: httpx raises then."""
    with client, watching(client) as events:
        try:
            while True:
                events.next()
        except EOFError:
            return True


def test_keys_are_asked_for() -> None:
    with serving(application(api_keys=("open-sesame-open",))) as client:
        for path in ("/v1/rates", "/v1/alarms", "/v1/live", "/v1/behaviors"):
            assert client.get(path).status_code == 401
        client.headers["authorization"] = "Bearer open-sesame-open"
        with watching(client) as events:
            events.until("rates")


def test_services_of_one_redis_watch_together(redis_server: RedisServer) -> None:
    settings = {"store": "redis", "redis_url": redis_server.url}
    with serving(application(**settings)) as one, serving(application(**settings)) as other:
        say(one, "Early is Red.", dialogue_id="d", event_id="b1")
        eventually(lambda: alarms(one) == alarms(other) == ["Early is Red."])
        with watching(other) as events:
            say(one, "Late is Ign.")
            assert [events.until("alarm")["text"] for _ in range(2)] == ["Early is Red.", "Late is Ign."]
        assert rate(other, "Red") == rate(one, "Red") == (1, 2, 0.5)
        rows: Any = redis_server.client().xrange("grice:results")
        ((_, first), _) = rows
        response = ScoredResponse.from_json(first[b"response"])
        assert (response.text, response.dialogue_id, response.event_id, response.model) == (
            "Early is Red.",
            "d",
            "b1",
            "FakeBehaviors",
        )
    with serving(application(**settings)) as later:
        eventually(lambda: alarms(later) == ["Late is Ign.", "Early is Red."])


def test_what_a_worker_scored_is_told(redis_server: RedisServer) -> None:
    with redis_server.client() as redis, serving(application(store="redis", redis_url=redis_server.url)) as client:
        redis.xadd("grice:results", {"response": "not one"})
        scored = ScoredResponse("b1", "d", "That is it.", 1.0, 2.0, shown=("Ign",), evidence={"Red": "earlier"})
        redis.xadd("grice:results", {"response": scored.to_json()})
        eventually(lambda: alarms(client) == ["That is it."])
        redis.xadd("grice:results", {"response": scored.to_json()})
        eventually(lambda: len(alarms(client)) == 2)


def test_a_redis_that_dies_and_returns(redis_server: RedisServer) -> None:
    with serving(application(store="redis", redis_url=redis_server.url)) as client:
        say(client, "One is Ign.")
        eventually(lambda: alarms(client) == ["One is Ign."])
        with watching(client) as events:
            events.until("rates")
            redis_server.kill()
            while events.next().get("event") != "unavailable":
                pass
            redis_server.start()
            say(client, "Two is Ign.")
            assert events.until("alarm")["text"] == "Two is Ign."
        assert "One is Ign." in alarms(client)


def test_the_stream_of_results_can_be_left_out(redis_server: RedisServer) -> None:
    with serving(application(store="redis", redis_url=redis_server.url, results_stream="")) as client:
        say(client, "That is Ign.")
        assert alarms(client) == ["That is Ign."]
    assert redis_server.client().exists("grice:results") == 0


def test_alerts_are_raised(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = tmp_path / "rules.json"
    rule = {"kind": "threshold", "name": "ignores", "behaviors": ["Ign"], "window_s": 600, "above": 0.2, "min_scored": 5}
    rules.write_text(json.dumps({"rules": [rule]}))
    alerts = AlertSettings(alert_rules=str(rules), alert_every_s=QUICK)
    settings = ServiceSettings(live_every_s=QUICK)
    app = create_app(fakes(responses=fake_monitor()), settings, alerts=alerts)
    with caplog.at_level(logging.WARNING, "grice"), serving(app) as client:
        for _ in range(6):
            say(client, "The secret is Ign.")
        eventually(lambda: 'grice_alerts_total{rule="ignores",state="firing"} 1.0' in client.get("/metrics").text)
    assert "alert ignores" in caplog.text
    assert "secret" not in caplog.text


def test_no_text_is_logged(caplog: pytest.LogCaptureFixture, client: httpx.Client) -> None:
    caplog.set_level(logging.DEBUG, "grice")
    say(client, "The secret is Ign.")
    say(client, "secret poison")
    assert client.get("/v1/rates").status_code == 200
    assert "secret" not in caplog.text
    assert "secret" not in client.get("/metrics").text
