"""What turns mean, over HTTP: menus of the item and stored ones, turns that break the reader, logs, spans."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fake_models import FakeDirectness, FakeMeaning, FakeRewriter, fakes
from live_service import serving

from grice.middleware import Pipeline
from grice.middleware.capabilities.meaning import MEANING, MeaningReporter
from grice.middleware.capabilities.turns import TURNS
from grice.middleware.client.backends import load_backend
from grice.middleware.client.settings import RemoteSettings
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import PipelineSettings
from grice.models.dialogue import Dialogue
from grice.models.errors import InputError
from grice.models.meaning.reader import load_meaning_reader
from grice.models.meaning.results import MOST_POSSIBLE, MeaningQuestion, PossibleMeaning, TurnMeaning
from grice.models.schema import BotSchema

KAYAKS: dict[str, Any] = {
    "intents": [
        {"name": "rent", "description": "rent a kayak for some hours"},
        {"name": "weather", "description": "what the weather on the lake will be"},
        {"name": "report_damage", "description": "say that a kayak is broken"},
    ],
    "slots": {"size": {"description": "how large the kayak is", "values": ["small", "large"]}},
}
MENU = BotSchema.of(KAYAKS)


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with serving(create_app(fakes(meaning=MeaningReporter(FakeMeaning())))) as client:
        yield client


def read(client: httpx.Client, body: object) -> dict[str, Any]:
    response = client.post("/v1/meaning", json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def test_what_is_read_of_a_turn(client: httpx.Client) -> None:
    turns = [{"speaker": "bot", "text": "A large one?"}, {"speaker": "user", "text": "I would rent it."}]
    assert read(client, {"turns": turns, "schema": KAYAKS}) == {
        "kind": "intent",
        "meaning": "rent",
        "confidence": 0.875,
        "margin": 0.75,
        "possible": [
            {"kind": "intent", "name": "rent", "share": 0.875},
            {"kind": "act", "name": "none", "share": 0.125},
            {"kind": "intent", "name": "weather", "share": 0.0},
            {"kind": "intent", "name": "report_damage", "share": 0.0},
        ],
        "slots": [{"slot": "size", "said": "meant", "values": ["large"], "confidence": 0.75}],
        "changes": 0.0,
        "indirect": 1.0,
        "option": None,
        "evidence": [{"start": 0, "end": 1, "text": "I", "weight": 1.0}],
        "changed": [],
        "failures": [],
        "calls": None,
    }


def test_a_turn_is_rewritten_by_the_menu_that_comes_with_it() -> None:
    reader = FakeMeaning()
    pipeline = Pipeline(FakeDirectness(), FakeRewriter(), PipelineSettings(mode="replace"), reader=reader)
    with serving(create_app(fakes(turns=pipeline, meaning=MeaningReporter(reader)))) as client:
        client.put("/v1/schemas/kayaks", json=KAYAKS)
        menus: list[dict[str, Any]] = [{"schema": KAYAKS}, {"schema_id": "kayaks"}, {"schema": {"intents": [{"name": "stay"}]}}, {}]
        turns = client.post("/v1/turns", json={"items": [{"text": "My kayak! To rent", **menu} for menu in menus]}).json()["items"]
        unknown = client.post("/v1/turns", json={"text": "rent", "schema_id": "canoes"})
        remote = load_backend(TURNS, RemoteSettings(url=str(client.base_url)))
        own, plain = remote.predict([MeaningQuestion(Dialogue.of("My kayak! To rent"), MENU), Dialogue.of("My kayak! To rent")])
    assert [turn["text"] for turn in turns[:2]] == ["I want to rent a kayak for some hours."] * 2
    assert [turn["reason"] for turn in turns[:3]] == ["indirect", "indirect", "unknown"]
    assert (turns[0]["meaning"]["meaning"], turns[0]["directness"]) == ("rent", None)
    assert (turns[3]["meaning"], turns[3]["directness"] is None) == (None, False)
    assert unknown.json()["type"] == "urn:grice:problem:unknown-schema"
    assert own.text == turns[0]["text"]
    assert own.meaning is not None
    assert own.meaning.meaning == "rent"
    assert plain.meaning is None


class Torn(FakeMeaning):
    """Knows of no turn whether it is about renting or the weather."""

    def found(self, question: MeaningQuestion) -> TurnMeaning:
        both = (PossibleMeaning("intent", "rent", 0.5), PossibleMeaning("intent", "weather", 0.375))
        return replace(super().found(question), kind="unknown", meaning="", possible=both)


def test_a_question_for_the_user_goes_over_the_wire_and_back() -> None:
    pipeline = Pipeline(FakeDirectness(), FakeRewriter(), reader=Torn())
    asked = MeaningQuestion(Dialogue.of("It looks grey out there."), MENU)
    with serving(create_app(fakes(turns=pipeline))) as client:
        turn = client.post("/v1/turns", json={"text": asked.dialogue.last.text, "schema": KAYAKS}).json()
        (remote,) = load_backend(TURNS, RemoteSettings(url=str(client.base_url))).predict([asked])
    assert (turn["decision"], turn["reason"], turn["text"]) == ("clarify", "unknown", turn["original"])
    assert turn["clarification"]["slot"] == ""
    assert [(option["kind"], option["name"], option["share"]) for option in turn["clarification"]["options"]] == [
        ("intent", "rent", 0.5),
        ("intent", "weather", 0.375),
    ]
    assert turn["clarification"]["question"].endswith(", or something else?")
    assert remote == pipeline.predict([asked])[0]


def test_a_stored_menu_and_one_of_the_item(client: httpx.Client) -> None:
    client.put("/v1/schemas/kayaks", json=KAYAKS)
    items = [{"text": "rent", "schema_id": "kayaks"}, {"text": "rent", "schema": {"intents": [{"name": "stay"}]}}]
    rows = read(client, {"items": items})["items"]
    assert [(row["kind"], row["meaning"]) for row in rows] == [("intent", "rent"), ("unknown", "")]
    unknown = client.post("/v1/meaning", json={"text": "rent", "schema_id": "canoes"})
    assert (unknown.status_code, unknown.json()["type"]) == (422, "urn:grice:problem:unknown-schema")
    assert "PUT /v1/schemas/canoes stores one" in unknown.json()["detail"]


def test_a_menu_whose_parts_do_not_fit_together(client: httpx.Client) -> None:
    response = client.post("/v1/meaning", json={"text": "a", "schema": {"intents": [{"name": "rent", "slots": ["size"]}]}})
    assert (response.status_code, response.json()["type"]) == (422, "urn:grice:problem:invalid-value")
    assert response.json()["detail"] == "slot of intent rent: got 'size'; allowed: none: the schema has no slots"


def test_a_kept_dialogue_is_read_and_stays_as_it_is(client: httpx.Client) -> None:
    client.post("/v1/turns", json={"dialogue_id": "kept", "text": "Hello."})
    asked = {"dialogue_id": "kept", "text": "Yes.", "schema": KAYAKS}
    assert read(client, asked)["slots"] == []
    assert read(client, {**asked, "bot": "A large one?"})["slots"][0]["values"] == ["large"]
    assert len(client.get("/v1/dialogues/kept").json()["turns"]) == 1


def test_a_turn_that_breaks_the_reader_is_told_and_the_others_are_read(client: httpx.Client) -> None:
    texts = ("rent", "poison", "weather")
    rows = read(client, {"items": [{"text": text, "schema": KAYAKS} for text in texts]})["items"]
    assert [row["meaning"] for row in rows] == ["rent", None, "weather"]
    assert {name for name, value in rows[1].items() if value is not None} == {"failures"}
    assert rows[1]["failures"] == [{"stage": "meaning", "error": "RuntimeError", "message": "cannot read poison"}]
    assert 'grice_stage_failures_total{error="RuntimeError",stage="meaning"} 1.0' in client.get("/metrics").text


def test_the_log_tells_the_decision_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    reporter = MeaningReporter(FakeMeaning())
    with caplog.at_level(logging.DEBUG, "grice.middleware.capabilities.meaning"):
        reporter.predict([MeaningQuestion(Dialogue.of(text), MENU) for text in ("rent, secretly", "secret poison")])
    assert [record.getMessage() for record in caplog.records] == [
        "read as intent 'rent', confidence 0.875, margin 0.750",
        "the reader of meaning failed: RuntimeError",
    ]


def test_what_is_no_question_is_refused() -> None:
    with pytest.raises(InputError, match="questions, at 0: got 'text'"):
        MeaningReporter(FakeMeaning()).predict(["text"])  # type: ignore[list-item]


def test_the_shipped_reader_says_the_same_in_process_and_behind_the_service() -> None:
    questions = [
        MeaningQuestion(Dialogue.of("There is a hole in it, and I am wet up to the knees.", [("bot", "How was your trip?")]), MENU),
        MeaningQuestion(Dialogue.of("Thank you!"), BotSchema.of({"slots": {"size": None}})),
        MeaningQuestion(
            Dialogue.of("No wait, make it a small one.", [("user", "A large kayak, please."), ("bot", "Noted.")]), MENU
        ),
    ]
    near = load_backend(MEANING, PipelineSettings(deadline_ms=20_000)).predict(questions)
    with serving(create_app(fakes(meaning=MeaningReporter(load_meaning_reader())))) as client:
        far = load_backend(MEANING, RemoteSettings(str(client.base_url), deadline_ms=20_000)).predict(questions)
        (model,) = [model for model in client.get("/v1/models").json()["models"] if model["role"] == "meaning"]
    assert near == far
    assert near[2].found.changed == ("size",)  # type: ignore[union-attr]
    assert len(near[0].found.possible) == MOST_POSSIBLE  # type: ignore[union-attr]
    assert (model["name"], "tokenizer.json.gz" in model["sha256"]) == ("meaning", True)


KAYAK_TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": {"size": {"type": "string", "enum": ["small", "large"]}}},
        },
    }
    for name, description in (("rent", "rent a kayak for some hours"), ("report_damage", "say that a kayak is broken"))
]


def test_tools_in_place_of_a_menu_get_calls(client: httpx.Client) -> None:
    found = read(client, {"text": "I would rent it, a large one.", "tools": KAYAK_TOOLS})
    assert (found["kind"], found["meaning"]) == ("intent", "rent")
    calls = found["calls"]
    assert [call["tool"] for call in calls] == [each["name"] for each in found["possible"] if each["kind"] == "intent"]
    assert calls[0]["probability"] == found["confidence"]
    assert {argument["name"] for call in calls for argument in call["arguments"]} <= {"size"}
    assert sum(call["probability"] for call in calls) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "or tools"),
        ({"tools": KAYAK_TOOLS, "schema": KAYAKS}, "give only one of schema, schema_id and tools"),
        ({"tools": [{"type": "function", "function": {"name": 5}}]}, "tool 0, name"),
        ({"tools": []}, "at least 1 item"),
    ],
)
def test_tools_that_cannot_be_read_are_named(client: httpx.Client, fields: dict[str, Any], message: str) -> None:
    response = client.post("/v1/meaning", json={"text": "I would rent it.", **fields})
    assert response.status_code == 422
    assert message in response.text
