"""The routes, on a real server with fake models."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fake_models import FakeRewriter, fake_pipeline, fakes
from live_service import serving

from grice.middleware.capabilities.rewrite import REWRITE
from grice.middleware.client import Remote, RemoteSettings
from grice.middleware.responses.softening import Unsoftened
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import PipelineSettings, ServiceSettings
from grice.models import Dialogue, Rewrite

BOT = {"speaker": "bot", "text": "Which one?"}
USER = {"speaker": "user", "text": "I wish it were warmer."}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(
        create_app(fakes(fake_pipeline(), FakeRewriter("Could you do this")), ServiceSettings(max_turns=600, most_wait_ms=60_000))
    ) as client:
        yield client


def post(client: httpx.Client, path: str, body: object) -> dict[str, Any]:
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def test_directness_of_one(client: httpx.Client) -> None:
    assert post(client, "/v1/directness", {"text": "Book it."}) == {
        "score": 0.95,
        "history_read": 0,
        "history_cut": 0,
        "text_cut": False,
        "failures": [],
    }


def test_rewriting_into_both_forms(client: httpx.Client) -> None:
    soften = {"text": "Open the window.", "form": "indirect"}
    items = [{"text": "a"}, soften, {"turns": [BOT, USER]}, {"text": "c", "form": "direct"}]
    answer = post(client, "/v1/rewrite", {"items": items})
    assert [item["text"] for item in answer["items"]] == [
        "please: a",
        "Could you do this: Open the window.",
        "please: I wish it were warmer. <bot: Which one?>",
        "please: c",
    ]
    assert post(client, "/v1/rewrite", soften) == {
        "text": "Could you do this: Open the window.",
        "confidence": 0.9,
        "tokens": 5,
        "finished": True,
        "history_read": 0,
        "history_cut": 0,
        "text_cut": False,
        "refused": None,
        "failures": [],
    }


class Wishes(FakeRewriter):
    """Softens a bot's question into what its user would say; a request it only softens."""

    def text(self, dialogue: Dialogue) -> str:
        return "Please book it." if "?" in dialogue.last.text else f"Could you do this: {dialogue.last.text}"


def test_a_softer_form_that_is_no_longer_the_bots_is_refused() -> None:
    items = [
        {"text": "Shall I book it?", "form": "indirect"},
        {"text": "Shall I book it?"},
        {"turns": [USER, {"speaker": "bot", "text": "Open the window."}], "form": "indirect"},
    ]
    with serving(create_app(fakes(softener=Wishes()), ServiceSettings())) as client:
        answers = post(client, "/v1/rewrite", {"items": items})["items"]
        remote = Remote(REWRITE, RemoteSettings(str(client.base_url), deadline_ms=20_000), form="indirect")
        found = remote.predict([Dialogue.of("Shall I book it?", speaker="bot"), Dialogue.of("Open the window.", speaker="bot")])
    assert [(answer["text"], answer["refused"]) for answer in answers] == [
        ("Shall I book it?", "Please book it."),
        ("please: Shall I book it?", None),
        ("Could you do this: Open the window.", None),
    ]
    assert [(type(each), each.text) for each in found] == [
        (Unsoftened, "Shall I book it?"),
        (Rewrite, "Could you do this: Open the window."),
    ]


ROWS = [
    {"role": "system", "content": "You heat houses."},
    {"role": "assistant", "content": [{"type": "text", "text": "Which one?"}], "refusal": None},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "user", "content": "I wish it were warmer.", "name": "ann"},
]


@pytest.mark.parametrize("path", ["/v1/turns", "/v1/directness", "/v1/rewrite"])
def test_messages_are_read_as_the_turns_that_they_are(client: httpx.Client, path: str) -> None:
    assert post(client, path, {"turns": ROWS}) == post(client, path, {"turns": [BOT, USER]})
    assert post(client, path, {"turns": [BOT, ROWS[-1]]}) == post(client, path, {"turns": [BOT, USER]})


@pytest.mark.parametrize(
    ("rows", "pointer", "detail"),
    [
        ([*ROWS, {"role": "narrator", "content": "x"}], "#/turns/4", "role: got 'narrator'"),
        ([{"role": "user", "content": 7}], "#/turns/0", "content: got 7; allowed: a string"),
        (ROWS[:1], "#/turns", "in none of the rows did the user or the bot say anything"),
        ([*ROWS, {"role": "assistant", "content": "Yes?"}], "#", "the last of turns must be the user's"),
        ([{"speaker": "user", "text": "x", "name": "ann"}], "#/turns/0/name", "Extra inputs are not permitted"),
    ],
)
def test_messages_that_cannot_be_read(client: httpx.Client, rows: object, pointer: str, detail: str) -> None:
    response = client.post("/v1/turns", json={"turns": rows})
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["pointer"] == pointer
    assert detail in error["detail"]


def test_the_whole_analysis(client: httpx.Client) -> None:
    read = {"history_read": 1, "history_cut": 0, "text_cut": False}
    rewrite = "please: I wish it were warmer. <bot: Which one?>"
    assert post(client, "/v1/turns", {"turns": [BOT, USER]}) == {
        "dialogue_id": None,
        "original": "I wish it were warmer.",
        "text": f"I wish it were warmer. {rewrite}",
        "decision": "rewrite",
        "reason": "indirect",
        "directness": {"score": 0.05, **read},
        "rewrite": {"text": rewrite, "confidence": 0.9, "tokens": 5, "finished": True, **read},
        "findings": [],
        "meaning": None,
        "clarification": None,
        "failures": [],
    }


def test_a_direct_turn_passes(client: httpx.Client) -> None:
    answer = post(client, "/v1/turns", {"text": "Book it."})
    assert (answer["decision"], answer["reason"], answer["text"], answer["rewrite"]) == ("pass", "direct", "Book it.", None)


def test_the_mode_of_one_request(client: httpx.Client) -> None:
    items = [{"text": "I wish.", "mode": "replace"}, {"text": "I wish.", "mode": "append"}, {"text": "I wish."}]
    answer = post(client, "/v1/turns", {"items": items})
    assert [item["text"] for item in answer["items"]] == ["please: I wish.", "I wish. please: I wish.", "I wish. please: I wish."]


def test_the_mode_of_the_settings_can_be_overruled() -> None:
    app = create_app(fakes(fake_pipeline(PipelineSettings(mode="replace"))))
    with serving(app) as client:
        assert post(client, "/v1/turns", {"text": "I wish."})["text"] == "please: I wish."
        assert post(client, "/v1/turns", {"text": "I wish.", "mode": "append"})["text"] == "I wish. please: I wish."


def test_a_dialogue_is_kept(client: httpx.Client) -> None:
    first = post(client, "/v1/turns", {"dialogue_id": "kept", "text": "Hello."})
    assert (first["dialogue_id"], first["directness"]["history_read"]) == ("kept", 0)
    second = post(client, "/v1/turns", {"dialogue_id": "kept", "bot": "Hello! Where to?", "text": "I wish I knew."})
    assert second["rewrite"]["text"] == "please: I wish I knew. <user: Hello.> <bot: Hello! Where to?>"
    third = post(client, "/v1/turns", {"dialogue_id": "kept", "bot": ["One.", "Two."], "text": "Yes."})
    assert third["directness"]["history_read"] == 5
    kept = client.get("/v1/dialogues/kept").json()
    assert kept == {
        "schema_version": 1,
        "dialogue_id": "kept",
        "turns": [
            {"speaker": "user", "text": "Hello."},
            {"speaker": "bot", "text": "Hello! Where to?"},
            {"speaker": "user", "text": "I wish I knew."},
            {"speaker": "bot", "text": "One."},
            {"speaker": "bot", "text": "Two."},
            {"speaker": "user", "text": "Yes."},
        ],
    }


def test_a_dialogue_can_be_forgotten(client: httpx.Client) -> None:
    post(client, "/v1/turns", {"dialogue_id": "gone", "text": "Hello."})
    response = client.delete("/v1/dialogues/gone")
    assert (response.status_code, response.content) == (204, b"")
    assert client.get("/v1/dialogues/gone").status_code == 404
    assert client.delete("/v1/dialogues/gone").status_code == 404
    assert post(client, "/v1/turns", {"dialogue_id": "gone", "text": "Hello."})["directness"]["history_read"] == 0


@pytest.mark.parametrize("name", ["49:170-123@chat.example", "Ünï_çödé~1", "a", "x" * 200, "50%", "a?b=c#d"])
def test_names_of_dialogues(client: httpx.Client, name: str) -> None:
    post(client, "/v1/turns", {"dialogue_id": name, "text": "Hello."})
    path = "/v1/dialogues/" + quote(name, safe="")
    assert client.get(path).json()["dialogue_id"] == name
    assert client.delete(path).status_code == 204


def test_parallel_callers_get_their_own_answers(client: httpx.Client) -> None:
    def ask(number: int) -> str:
        answer = post(client, "/v1/turns", {"dialogue_id": f"parallel-{number}", "text": f"I wish for {number}."})
        return str(answer["rewrite"]["text"])

    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(ask, range(64)))
    assert answers == [f"please: I wish for {number}." for number in range(64)]
    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(ask, range(64)))
    assert answers == [f"please: I wish for {number}. <user: I wish for {number}.>" for number in range(64)]


def test_models(client: httpx.Client) -> None:
    models = client.get("/v1/models").json()["models"]
    assert [(model["role"], model["name"], model["provider"]) for model in models] == [
        ("directness", "FakeDirectness", "FakeExecutionProvider"),
        ("rewriter", "FakeRewriter", "FakeExecutionProvider"),
        ("softener", "FakeRewriter", "FakeExecutionProvider"),
    ]


def test_health(client: httpx.Client) -> None:
    assert client.get("/health/live").json() == {"status": "live"}
    ready = client.get("/health/ready")
    assert ready.status_code == 200
    assert ready.json() == {
        "status": "ready",
        "store": {"kind": "memory", "reachable": True},
        "events_reachable": None,
        "queue_age_s": 0.0,
        "providers": dict.fromkeys(("directness", "rewriter", "softener"), "FakeExecutionProvider"),
    }


def test_request_ids(client: httpx.Client) -> None:
    assert client.get("/health/live", headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    given = {
        client.get("/health/live", headers={"x-request-id": bad}).headers["x-request-id"] for bad in ("", "a b", "x" * 129, "<i>")
    }
    assert len(given) == 4
    assert all(len(name) == 32 for name in given)
