"""POST /v1/responses, on a real server with a fake model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest
from fake_models import FakeBehaviors, fake_monitor, fakes
from live_service import RedisServer, eventually, serving
from relation_fixtures import WordReader

from grice.middleware.monitor import Judgement, Monitor
from grice.middleware.monitor.escalation import Escalation
from grice.middleware.monitor.reports import JudgeQuestion, WatchedLabel, dialogue_of
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.relations import load_relation_reader
from grice.models.relations.results import RelationQuestion, ResponseRelations
from grice.models.results import BEHAVIORS

USER = {"speaker": "user", "text": "When do you open?"}
BOT = {"speaker": "bot", "text": "We open at nine."}
AGAIN = {"speaker": "bot", "text": "At nine we open, that is Red."}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(responses=fake_monitor()))) as client:
        yield client


def score(client: httpx.Client, body: object) -> dict[str, Any]:
    response = client.post("/v1/responses", json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def told(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The turns that are evidence."""
    return {label: {name: found[name] for name in ("turn", "speaker", "text")} for label, found in answer["evidence"].items()}


def kept(client: httpx.Client, dialogue_id: str) -> list[str]:
    return [turn["text"] for turn in client.get(f"/v1/dialogues/{dialogue_id}").json()["turns"]]


def test_a_response_with_its_conversation(client: httpx.Client) -> None:
    assert score(client, {"turns": [USER, BOT, USER, AGAIN], "event_id": "b2"}) == {
        "event_id": "b2",
        "dialogue_id": None,
        "probabilities": {label: 0.9 if label == "Red" else 0.1 for label in BEHAVIORS},
        "thresholds": dict.fromkeys(BEHAVIORS, 0.5),
        "shown": ["Red"],
        "evidence": {
            "Red": {
                "turn": 2,
                **USER,
                "about": {"kind": "user", "place": 2, "sentence": 0, "start": 0, "end": 17, "text": USER["text"]},
                "words": {"kind": "response", "place": 3, "sentence": 0, "start": 0, "end": 29, "text": AGAIN["text"]},
            }
        },
        "judgements": [],
        "relations": None,
        "suppressed": [],
        "history_read": 3,
        "history_cut": 0,
        "text_cut": False,
        "failures": [],
    }


def test_evidence_quotes_the_sentences_that_have_most_in_common(client: httpx.Client) -> None:
    said = {"speaker": "user", "text": "Hello there! I never drink coffee. Is there a shop?"}
    response = {"speaker": "bot", "text": "Sure. As you drink coffee, that is Red."}
    found = score(client, {"turns": [BOT, said, response]})["evidence"]["Red"]
    assert found["text"] == said["text"]
    for span, turn, sentence in ((found["about"], said, "I never drink coffee."), (found["words"], response, response["text"][6:])):
        assert span["text"] == turn["text"][span["start"] : span["end"]] == sentence
        assert span["sentence"] == 1


def test_several_in_order(client: httpx.Client) -> None:
    items = [{"text": f"That is {label}."} for label in BEHAVIORS] * 7
    answer = score(client, {"items": items})
    assert [row["shown"] for row in answer["items"]] == [[label] for label in BEHAVIORS] * 7
    assert len({row["event_id"] for row in answer["items"]}) == len(items)


def test_a_response_in_a_kept_dialogue(client: httpx.Client) -> None:
    client.post("/v1/turns", json={"dialogue_id": "kept", "text": "When do you open?"})
    first = score(client, {"dialogue_id": "kept", "text": "We open at nine."})
    assert (first["dialogue_id"], first["history_read"], first["evidence"]) == ("kept", 1, {})
    second = score(client, {"dialogue_id": "kept", "text": "That is Red."})
    assert told(second)["Red"] == {"turn": 1, "speaker": "bot", "text": "We open at nine."}
    assert kept(client, "kept") == ["When do you open?", "We open at nine.", "That is Red."]


def test_one_that_is_sent_again_is_kept_once_and_scored_alike(client: httpx.Client) -> None:
    client.post("/v1/turns", json={"dialogue_id": "again", "text": "Hello."})
    body = {"dialogue_id": "again", "text": "That is Red.", "event_id": "b1"}
    assert score(client, body) == score(client, body)
    assert kept(client, "again") == ["Hello.", "That is Red."]


def test_one_that_the_events_told_of_is_scored_after_what_came_before_it(client: httpx.Client) -> None:
    for name, speaker, text in (("u1", "user", "Hello."), ("b1", "bot", "That is Red."), ("u2", "user", "What?")):
        event = {"event_id": name, "dialogue_id": "told", "speaker": speaker, "text": text, "timestamp": 1.0}
        assert client.post("/v1/events", json=event).status_code == 200
    answer = score(client, {"dialogue_id": "told", "text": "That is Red.", "event_id": "b1"})
    assert told(answer)["Red"] == {"turn": 0, "speaker": "user", "text": "Hello."}
    assert kept(client, "told") == ["Hello.", "That is Red.", "What?"]


def test_a_model_that_fails_is_told_and_the_answer_stays_good(client: httpx.Client) -> None:
    answer = score(client, {"items": [{"text": "poison"}, {"text": "That is Ign.", "dialogue_id": "beside"}]})
    failed, fine = answer["items"]
    assert failed["probabilities"] is None
    assert (failed["shown"], failed["history_read"], failed["text_cut"]) == ([], None, None)
    assert [(failure["stage"], failure["error"]) for failure in failed["failures"]] == [("monitor", "RuntimeError")]
    assert (fine["shown"], fine["failures"]) == (["Ign"], [])


def test_without_a_monitor_it_is_said() -> None:
    with serving(create_app(fakes())) as client:
        response = client.post("/v1/responses", json={"text": "Hello."})
        assert (response.status_code, response.json()["type"]) == (501, "urn:grice:problem:no-monitor")
        assert {each["threshold"] for each in client.get("/v1/behaviors").json()["behaviors"]} == {None}


def test_a_store_that_is_down_is_told(redis_server: RedisServer) -> None:
    settings = ServiceSettings(store="redis", redis_url=redis_server.url)
    with serving(create_app(fakes(responses=fake_monitor()), settings)) as client:
        redis_server.kill()
        answer = score(client, {"dialogue_id": "d", "text": "That is Ign.", "event_id": "b1"})
        assert answer["shown"] == ["Ign"]
        assert {failure["stage"] for failure in answer["failures"]} == {"store"}
        assert client.get("/v1/rates").status_code == 503
        redis_server.start()
        assert score(client, {"dialogue_id": "d", "text": "That is Ign.", "event_id": "b2"})["failures"] == []


class WaitingJudge:
    """Answers yes once it is let go."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, WatchedLabel]] = []
        self.free = threading.Event()

    def judge(self, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> list[Judgement]:
        self.asked += [(dialogue_of(about).last.text, label) for about, label in questions]
        assert self.free.wait(30)
        return [Judgement(behavior, True, "It says so.", prompt_tokens=7) for _, behavior in questions]


def test_nobody_waits_for_the_judge_of_another() -> None:
    judge = WaitingJudge()
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.15), judge, Escalation("uncertain", 0.1, ("!Fac",)))
    with serving(create_app(fakes(responses=monitor))) as client:
        answers: list[dict[str, Any]] = []
        waiting = threading.Thread(target=lambda: answers.append(score(client, {"text": "Cats bark.", "event_id": "b1"})))
        waiting.start()
        eventually(lambda: judge.asked == [("Cats bark.", "!Fac")])
        with httpx.Client(base_url=client.base_url, timeout=30, trust_env=False) as other:
            quick = score(other, {"text": "Dogs meow.", "judged": False})
        assert (quick["shown"], quick["judgements"], answers) == ([], [], [])
        judge.free.set()
        waiting.join(30)
        metrics = client.get("/metrics").text
    (answer,) = answers
    assert answer["shown"] == ["!Fac"]
    (judgement,) = answer["judgements"]
    assert (judgement["behavior"], judgement["decision"], judgement["reasoning"]) == ("!Fac", True, "It says so.")
    assert 'grice_judge_tokens_total{kind="prompt"} 7.0' in metrics


def test_a_judge_that_fails_leaves_the_scores(client: httpx.Client) -> None:
    class Broken:
        def judge(self, questions: Sequence[JudgeQuestion], tenants: Sequence[str] | None = None) -> list[Judgement]:
            raise RuntimeError("down")

    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), Broken(), Escalation("alarming", 0.1, ("!Fac",)))
    with serving(create_app(fakes(responses=monitor))) as other:
        answer = score(other, {"text": "That is !Fac."})
    assert answer["shown"] == ["!Fac"]
    assert answer["judgements"][0]["decision"] is None
    assert [(failure["stage"], failure["error"]) for failure in answer["failures"]] == [("judge", "RuntimeError")]


class KeepsQuestions:
    """Reads nothing, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[RelationQuestion] = []

    def predict(self, asked: Sequence[RelationQuestion]) -> list[ResponseRelations]:
        self.asked += asked
        return WordReader().predict(asked)


def test_every_behaviour_that_is_shown_quotes_both_sides() -> None:
    shown = ("!Sel", "!Com", "Ign")
    monitor = Monitor(
        FakeBehaviors(), {label: 0.05 if label in shown else 0.95 for label in BEHAVIORS}, relations=load_relation_reader()
    )
    turns = [BOT, {"speaker": "user", "text": "And on Sunday?"}, {"speaker": "bot", "text": "We open at ten."}]
    with serving(create_app(fakes(responses=monitor))) as client:
        answer = score(client, {"turns": turns})
        assert score(client, {"text": "We open at ten."})["relations"]["about"] is None
    assert set(answer["shown"]) == set(shown)
    quotes = answer["relations"]["quotes"]
    assert set(shown) <= set(quotes)
    for label, place in (("!Sel", 0), ("!Com", 1), ("Ign", 1)):
        for span, at in ((quotes[label]["about"], place), (quotes[label]["words"], 2)):
            assert (span["place"], span["text"]) == (at, turns[at]["text"][span["start"] : span["end"]])


def test_rows_are_taken_as_tools_give_them() -> None:
    relations = KeepsQuestions()
    monitor = Monitor(FakeBehaviors(), dict.fromkeys(BEHAVIORS, 0.5), relations=relations)
    row = {"opens": "9:00", "seats": 40, "fee": 4.5, "open": True, "full": False, "note": None}
    with serving(create_app(fakes(responses=monitor))) as client:
        answer = score(client, {"turns": [USER, BOT], "facts": [row]})
        assert answer["failures"] == []
        (asked,) = relations.asked
        assert asked.facts == ({"opens": "9:00", "seats": "40", "fee": "4.5", "open": "yes", "full": "no"},)
        refused = client.post("/v1/responses", json={"turns": [USER, BOT], "facts": [{"halls": [1, 2]}]})
        assert refused.status_code == 422
        assert "halls" in refused.text
