"""Every capability behind the service: as the model in process answers, and against answers that misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fake_models import FakeBehaviors, FakeSlots, all_fakes, fakes
from live_service import serving
from loopback_server import items_of, loopback, saying, turn_row

from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.capabilities.directness import DIRECTNESS
from grice.middleware.capabilities.intentions import INTENTIONS
from grice.middleware.capabilities.meaning import MEANING, MeaningReport
from grice.middleware.capabilities.mind import MIND, MindResult
from grice.middleware.capabilities.slots import SlotReporter
from grice.middleware.client import Remote, RemoteMonitor, RemoteService, RemoteSettings
from grice.middleware.service.http.app import create_app
from grice.middleware.turns.analysis import StageFailure
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError, ServiceError
from grice.models.meaning.results import MeaningQuestion
from grice.models.minds.recommendation_dialogue import RecommendationDialogue
from grice.models.results import BEHAVIORS, FACE_ACTS
from grice.models.schema import BotSchema
from grice.models.slots.questions import SlotQuestion

SAID = Dialogue.of("I wish it were cheap, that is hpos- Red.", [("bot", "Have you seen Lantern Bay (1999)?")])
REPLY = Dialogue.of("We close at nine, that is Red !Sel.", [("user", "Hello."), ("bot", "We close at ten.")], "bot")
SHORT = Dialogue.of("Good morning.")
READ = {"history_read": 1, "history_cut": 0, "text_cut": False}


def price(dialogue: Dialogue = SAID, name: str = "price") -> SlotQuestion:
    return SlotQuestion(dialogue, name, "what it costs", ("cheap", "dear"))


def remote(name: str, url: str) -> Any:
    service = RemoteService(RemoteSettings(url, deadline_ms=20_000), probe_every_s=0.05)
    return RemoteMonitor(service) if name == "responses" else Remote(CAPABILITIES[name], service)


@dataclass(frozen=True)
class Case:
    """What a capability is asked, what the fakes in process find of it, and a row that answers the first."""

    asked: list[Any]
    found: Callable[[Mapping[str, Any], list[Any]], Any]
    row: dict[str, Any]


SLOT = {"name": "price", "value": "cheap", "ambiguous": False, "not_mentioned": 0.1, "probabilities": {"cheap": 0.8, "dear": 0.1}}
UNKNOWN = {"name": "price", "value": None, "ambiguous": None, "not_mentioned": None, "probabilities": None}
FAILURE = {"stage": "slots", "error": "RuntimeError", "message": "slot price: down"}
LATE = {"stage": "store", "error": "StoreError", "message": "late"}
MENU = BotSchema.of({"intents": [{"name": "cheap"}, {"name": "dear"}], "slots": {"what": {"values": ["Red", "Blue"]}}})
MEANT: dict[str, Any] = {
    "kind": "intent",
    "meaning": "cheap",
    "confidence": 0.8,
    "margin": 0.6,
    "possible": [{"kind": "intent", "name": "cheap", "share": 0.8}, {"kind": "act", "name": "none", "share": 0.2}],
    "slots": [{"slot": "what", "said": "meant", "values": ["Red"], "confidence": 0.9}],
    "changes": 0.1,
    "indirect": 0.7,
    "option": None,
    "evidence": [{"start": 0, "end": 1, "text": "I", "weight": 1.0}],
    "changed": ["what"],
    "failures": [LATE],
}
CASES = {
    "directness": Case([SAID, SHORT], lambda local, asked: local["directness"].predict(asked), {"score": 0.5, **READ}),
    "turns": Case(
        [SAID, SHORT],
        lambda local, asked: local["turns"].predict(asked),
        turn_row({"turns": [{"text": SAID.last.text}]}, lambda texts: "Find a cheap one."),
    ),
    "rewrite": Case(
        [SAID, SHORT],
        lambda local, asked: local["rewrite"].predict(asked),
        {"text": "Find a cheap one.", "confidence": 0.9, "tokens": 5, "finished": True, **READ},
    ),
    "responses": Case(
        [REPLY, Dialogue.of("Good morning.", speaker="bot")],
        lambda local, asked: FakeBehaviors().predict(asked),
        {
            "probabilities": dict.fromkeys(BEHAVIORS, 0.5),
            "thresholds": dict.fromkeys(BEHAVIORS, 0.4),
            "evidence": {"Red": {"turn": 1, "speaker": "bot", "text": "We close at ten."}},
            "failures": [],
            **READ,
        },
    ),
    "slots": Case(
        [(price(), price(name="broken")), (price(SHORT),), (price(Dialogue.of("poison")),)],
        lambda local, asked: SlotReporter(FakeSlots()).predict(asked),
        {"slots": [SLOT, UNKNOWN], "failures": [FAILURE, LATE]},
    ),
    "meaning": Case(
        [MeaningQuestion(SAID, MENU), MeaningQuestion(SHORT, MENU), MeaningQuestion(Dialogue.of("poison"), MENU)],
        lambda local, asked: local["meaning"].predict(asked),
        MEANT,
    ),
    "intentions": Case(
        [SAID, SHORT],
        lambda local, asked: local["intentions"].predict(asked),
        {
            "probabilities": {label: float(label == "other") for label in FACE_ACTS},
            "labels": ["other", "other"],
            "roles": ["persuader", "persuadee"],
            "agreement": [0.5, 0.6],
            "read_as": "charity",
            "far": False,
            **READ,
        },
    ),
    "mind": Case(
        [RecommendationDialogue(SAID), RecommendationDialogue(SAID, ("Grey Dust",), "bot")],
        lambda local, asked: [MindResult.of(reading) for reading in local["mind"].predict(asked)],
        {
            "turns": [{"place": 0, "role": "seeker", "coarse": ["other"], "fine": ["other"], "probabilities": {"other": 1.0}}],
            "attitudes": [],
            "next": {"role": "seeker", "strategies": ["other"], "probabilities": {"other": 1.0}, "effective": {"other": True}},
            "history_read": 1,
            "history_cut": 0,
        },
    ),
}


def test_every_capability_has_a_case() -> None:
    assert set(CASES) == {each.name for each in CAPABILITIES}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(all_fakes())) as client:
        yield client


@pytest.mark.parametrize("name", CASES)
def test_it_finds_what_the_model_in_process_does(client: httpx.Client, name: str) -> None:
    asked = CASES[name].asked * 40  # more than fit into one request
    behind = remote(name, str(client.base_url))
    assert behind.predict(asked) == CASES[name].found(all_fakes(), asked)
    assert behind.predict([]) == []


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("asked", [["text"], "text", SAID, [None]])
def test_what_is_no_question_is_refused_before_it_is_sent(name: str, asked: Any) -> None:
    with pytest.raises(InputError, match=f"what {name} is asked: got .*; allowed: "):
        remote(name, "http://127.0.0.1:9").predict(asked)


WRONG: list[tuple[str, Any, str]] = [
    ("directness", {"score": 7}, "score: 7"),
    ("directness", {"score": float("nan")}, "score: nan"),
    ("directness", {"history_read": 1.5}, "history_read: 1.5"),
    ("rewrite", {"finished": 1}, "finished: 1"),
    ("rewrite", {"text": None}, "text: None"),
    ("responses", {"probabilities": []}, r"probabilities: \[\]"),
    ("responses", {"probabilities": {"Rude": 0.5}}, "probabilities: 'Rude'"),
    ("responses", {"probabilities": {"Red": 2}}, "Red: 2"),
    ("responses", {"probabilities": {"Red": True}}, "Red: True"),
    ("responses", {"thresholds": None}, "thresholds: None"),
    ("responses", {"thresholds": {"Red": 2}}, "Red: 2"),
    ("responses", {"evidence": {"Ign": {"turn": 0}}}, "evidence: 'Ign'"),
    ("responses", {"evidence": {"Red": {"turn": 2}}}, "turn: 2"),
    ("responses", {"evidence": {"Red": {"turn": -1}}}, "turn: -1"),
    ("responses", {"evidence": {"Red": "x"}}, "turn: None"),
    ("responses", {"history_read": None}, "history_read: None"),
    ("intentions", {"probabilities": {"other": 1.0}}, "intentions"),
    ("intentions", {"probabilities": {**dict.fromkeys(FACE_ACTS, 0.0), "other": 2}}, "other: 2"),
    ("intentions", {"labels": ["rude"]}, "labels: 'rude'"),
    ("intentions", {"labels": ["other"]}, "intentions"),
    ("intentions", {"roles": ["seller"]}, "roles: 'seller'"),
    ("intentions", {"agreement": ["much"]}, "agreement: 'much'"),
    ("intentions", {"agreement": []}, "intentions"),
    ("intentions", {"history_read": 3}, "labels"),
    ("slots", {"slots": []}, "slots"),
    ("slots", {"slots": [{**SLOT, "name": "area"}, UNKNOWN]}, "name"),
    ("slots", {"slots": [{**SLOT, "value": "free"}, UNKNOWN]}, "value"),
    ("slots", {"slots": [{**SLOT, "probabilities": {"cheap": 1.0}}, UNKNOWN]}, "probabilities"),
    ("slots", {"slots": [{**SLOT, "probabilities": {"cheap": 1.2, "dear": 0}}, UNKNOWN]}, "cheap"),
    ("slots", {"slots": [{**SLOT, "ambiguous": "no"}, UNKNOWN]}, "ambiguous"),
    ("slots", {"failures": []}, "failures"),
    ("slots", {"failures": [FAILURE, FAILURE]}, "failures"),
    ("meaning", {"kind": "guess"}, "kind: 'guess'"),
    ("meaning", {"kind": None}, "kind: None"),
    ("meaning", {"meaning": "free"}, "meaning: 'free'"),
    ("meaning", {"possible": [{"kind": "intent", "name": "free", "share": 0.8}]}, "possible: 'free'"),
    ("meaning", {"possible": [{"kind": "act", "name": "no", "share": 2}]}, "share: 2"),
    ("meaning", {"slots": [{**MEANT["slots"][0], "slot": "area"}]}, "slots: 'area'"),
    ("meaning", {"slots": [{**MEANT["slots"][0], "said": "silent"}]}, "said: 'silent'"),
    ("meaning", {"option": "2"}, "option: '2'"),
    ("meaning", {"changed": ["area"]}, "changed: 'area'"),
    ("meaning", {"changed": None}, "changed: None"),
    ("meaning", {"failures": None}, "failures: None"),
    ("mind", {"turns": [{}]}, "place: None"),
    ("mind", {"next": None}, "role: None"),
    ("mind", {"next": {**CASES["mind"].row["next"], "effective": {"other": 1}}}, "other: 1"),
]


@pytest.mark.parametrize(("name", "change", "message"), [*WRONG, *((name, None, "") for name in CASES if name != "turns")])
def test_an_answer_of_another_shape_is_an_error(name: str, change: dict[str, Any] | None, message: str) -> None:
    row = [] if change is None else {**CASES[name].row, **change}
    answer = saying({"items": [row], "schema_version": 1})
    with loopback(answer) as server, pytest.raises(ServiceError, match=f"the service answered {message}"):
        remote(name, server.url).predict([_first(name)])


def _first(name: str) -> Any:
    return (price(), price()) if name == "slots" else CASES[name].asked[0]


@pytest.mark.parametrize("name", CASES)
def test_the_right_row_is_read(name: str) -> None:
    with loopback(saying({"items": [{**CASES[name].row, "new": 1}], "schema_version": 1})) as server:
        (found,) = remote(name, server.url).predict([_first(name)])
    assert found
    if name == "slots":
        sure, unknown = found
        assert (sure.failures, unknown.found, [each.message for each in unknown.failures]) == ((), None, ["slot price: down"])


def test_a_meaning_that_could_not_be_read_is_told() -> None:
    failure = {"stage": "meaning", "error": "RuntimeError", "message": "down"}
    row = {**dict.fromkeys(MEANT), "failures": [LATE, failure]}
    with loopback(saying({"items": [row], "schema_version": 1})) as server:
        (found,) = Remote(MEANING, RemoteService(RemoteSettings(server.url))).predict([MeaningQuestion(SAID, MENU)])
    assert found == MeaningReport(None, (StageFailure("meaning", "RuntimeError", "down"),))


@pytest.mark.parametrize("name", [each.name for each in CAPABILITIES if each.switch])
def test_one_that_is_not_loaded_is_told_and_the_service_still_asked_for_others(name: str) -> None:
    with serving(create_app(fakes())) as client:
        behind = remote(name, str(client.base_url))
        for _ in range(2):
            with pytest.raises(ServiceError, match=rf"/v1/{name} answered 501: No {CAPABILITIES[name].title} is loaded here"):
                behind.predict([CASES[name].asked[0]])
        assert not behind.service.breaker.is_open
        assert Remote(DIRECTNESS, behind.service).predict([SHORT])[0].score == 0.95


def test_questions_about_one_turn_are_one_item() -> None:
    row = {"slots": [SLOT] * 3, "failures": []}
    with loopback(saying({"items": [row], "schema_version": 1})) as server:
        remote("slots", server.url).predict([(price(),) * 3])
    (item,) = items_of(server.requests[0])
    assert item["turns"] == [{"speaker": turn.speaker, "text": turn.text} for turn in SAID.turns]
    assert item["slots"] == [{"name": "price", "description": "what it costs", "values": ["cheap", "dear"]}] * 3


def test_what_is_asked_beside_the_dialogue_is_sent(client: httpx.Client) -> None:
    service = RemoteService(RemoteSettings(str(client.base_url), deadline_ms=20_000))
    (found,) = Remote(INTENTIONS, service, user_role="persuader").predict([SAID])
    assert found.roles == ("persuadee", "persuader")
    (mind,) = Remote(MIND, service).predict([RecommendationDialogue(SAID, ("Grey Dust",), "bot")])
    assert ([item.item for item in mind.attitudes], mind.turns[0].role) == (["Grey Dust"], "seeker")


def test_what_the_service_refuses_is_told(client: httpx.Client) -> None:
    with pytest.raises(ServiceError, match="422: value of slot price: got 'α'; allowed: a value with Latin letters"):
        remote("slots", str(client.base_url)).predict([(SlotQuestion(SAID, "price", "what it costs", ("α", "β")),)])
