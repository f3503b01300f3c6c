"""POST /model/parse on a real server, in front of a plain NLU server that comes and goes."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from fake_models import fake_pipeline, fakes
from live_service import RedisServer, eventually, serving
from plain_nlu_server import Answer, PlainNlu, nlu_server, parse_data, slow

from grice.middleware.service.http.app import create_app
from grice.middleware.service.json_log import log_json_lines
from grice.middleware.settings import PipelineSettings, ServiceSettings
from grice.middleware.turns.pipeline import Pipeline

WISH = "I wish for Thai food"
REWRITTEN = f"{WISH}. please: {WISH}"


@contextmanager
def service(url: str, pipeline: Pipeline | None = None, **settings: Any) -> Iterator[httpx.Client]:
    chosen = ServiceSettings(nlu_url=url, **{"nlu_mode": "append", **settings})
    with serving(create_app(fakes(pipeline or fake_pipeline()), chosen)) as client:
        yield client


@pytest.fixture
def nlu() -> Iterator[PlainNlu]:
    with nlu_server() as server:
        yield server


@pytest.fixture
def client(nlu: PlainNlu) -> Iterator[httpx.Client]:
    with service(nlu.url) as client:
        yield client


def parse(client: httpx.Client, text: str, sender: str | None = None, status: int = 200, **more: object) -> dict[str, Any]:
    response = client.post("/model/parse", json={"text": text, "message_id": sender, "token": None, **more})
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json()
    return found


def test_an_indirect_turn_is_rewritten_and_parsed(nlu: PlainNlu, client: httpx.Client) -> None:
    parsed = parse(client, WISH, "ann")
    event_id = parsed["grice"].pop("event_id")
    assert nlu.asked == [{"text": REWRITTEN, "message_id": "ann"}]
    assert len(event_id) == 32
    assert parsed == {
        "text": WISH,
        "intent": {"name": "book", "confidence": 0.9},
        "entities": [
            {"entity": "thing", "start": 0, "end": 1, "value": "I", "extractor": "Words"},
            {"entity": "thing", "start": 11, "end": 15, "value": "Thai", "extractor": "Words"},
        ],
        "text_tokens": [[0, 1], [2, 6], [7, 10], [11, 15], [16, 20]],
        "intent_ranking": [],
        "grice": {
            "original": WISH,
            "text": REWRITTEN,
            "mode": "append",
            "decision": "rewrite",
            "reason": "indirect",
            "directness": 0.05,
            "label": "indirect",
            "rewrite": {"text": f"please: {WISH}", "confidence": 0.9},
            "clarification": None,
            "findings": [],
            "failures": [],
        },
    }


def test_a_replaced_turn_has_its_own_words_as_tokens(nlu: PlainNlu) -> None:
    with service(nlu.url, nlu_mode="replace") as client:
        parsed = parse(client, WISH)
    assert nlu.texts == [f"please: {WISH}"]
    assert (parsed["text"], parsed["intent"]["name"]) == (WISH, "book")
    assert [(found["start"], found["end"]) for found in parsed["entities"]] == [(0, 1), (11, 15)]
    assert [WISH[start:end] for start, end in parsed["text_tokens"]] == WISH.split()


def test_by_default_both_readings_count(nlu: PlainNlu) -> None:
    with service(nlu.url, nlu_mode=ServiceSettings.nlu_mode) as client:
        parsed = parse(client, WISH, "ann")
        direct = parse(client, "Book it.", "ann")
    assert sorted(nlu.texts) == sorted([WISH, f"please: {WISH}", "Book it."])
    assert parsed["grice"]["weight"] == pytest.approx(0.95 * 0.9)
    assert parsed["intent"] == {"name": "book", "confidence": pytest.approx(0.95 * 0.9 * 0.9)}
    assert {key: parsed[key] for key in ("text", "entities", "text_tokens")} == {
        key: parse_data(WISH)[key] for key in ("text", "entities", "text_tokens")
    }
    assert direct["grice"]["weight"] == 0
    assert direct["intent"] == parse_data("Book it.")["intent"]


@pytest.mark.parametrize("bad", [lambda text: (500, b"{}"), slow(2)])
def test_a_rewrite_that_cannot_be_read_leaves_the_reading_of_the_original(nlu: PlainNlu, bad: Answer) -> None:
    with service(nlu.url, nlu_mode="blend", nlu_timeout_ms=1200) as client:
        nlu.answer = only(WISH, bad)
        parsed = parse(client, WISH, "ann")
        assert {key: value for key, value in parsed.items() if key != "grice"} == parse_data(WISH)
        assert (parsed["grice"]["decision"], parsed["grice"]["reason"], parsed["grice"]["text"]) == ("pass", "failed", WISH)
        assert parsed["grice"]["failures"][0]["stage"] == "nlu"
        nlu.answer = lambda text: (500, b"{}") if text == WISH else (200, json.dumps(parse_data(text)).encode())
        assert parse(client, WISH, "ann", status=502)["type"] == "urn:grice:problem:nlu-failed"


def test_a_direct_turn_passes(nlu: PlainNlu, client: httpx.Client) -> None:
    parsed = parse(client, "Book it.", "ann")
    assert nlu.texts == ["Book it."]
    assert (parsed["grice"]["decision"], parsed["grice"]["label"], parsed["grice"]["text"]) == ("pass", "direct", "Book it.")
    assert {key: value for key, value in parsed.items() if key != "grice"} == parse_data("Book it.")


def test_the_history_of_the_sender_is_read_and_kept(nlu: PlainNlu, client: httpx.Client) -> None:
    parse(client, "Hello.", "ann")
    said = {"event_id": "b1", "dialogue_id": "ann", "speaker": "bot", "text": "Where to?", "timestamp": 1.0}
    assert client.post("/v1/events", json=said).json()["kept"] is True
    parse(client, "I wish.", "ann")
    assert nlu.texts[-1] == "I wish. please: I wish. <user: Hello.> <bot: Where to?>"
    parse(client, "I wish.", "bob")
    assert nlu.texts[-1] == "I wish. please: I wish."
    kept = client.get("/v1/dialogues/ann").json()["turns"]
    assert [(turn["speaker"], turn["text"]) for turn in kept] == [("user", "Hello."), ("bot", "Where to?"), ("user", "I wish.")]


def test_an_event_of_a_turn_that_is_kept_already_adds_nothing(client: httpx.Client) -> None:
    event_id = parse(client, "Hello.", "ann")["grice"]["event_id"]
    said = {"event_id": event_id, "dialogue_id": "ann", "speaker": "user", "text": "Hello.", "timestamp": 1.0}
    assert client.post("/v1/events", json=said).json()["kept"] is False
    assert len(client.get("/v1/dialogues/ann").json()["turns"]) == 1


def test_a_sender_that_is_no_name_of_a_dialogue(nlu: PlainNlu, client: httpx.Client) -> None:
    parse(client, "Hello.", "29:1/a b")
    parse(client, "I wish.", "29:1/a b")
    assert nlu.asked[-1] == {"text": "I wish. please: I wish. <user: Hello.>", "message_id": "29:1/a b"}
    assert len(client.get("/v1/dialogues/29%253A1%252Fa%2520b").json()["turns"]) == 2


@pytest.mark.parametrize("text", ["/restart", '/inform{"cuisine": "Thai"}', "", "  ", "x" * 10_001])
def test_texts_that_are_not_analysed_are_forwarded_unchanged(nlu: PlainNlu, client: httpx.Client, text: str) -> None:
    assert parse(client, text, "ann") == parse_data(text)
    assert nlu.texts == [text]
    assert client.get("/v1/dialogues/ann").status_code == 404


def test_a_failing_pipeline_forwards_the_original(nlu: PlainNlu, client: httpx.Client) -> None:
    parsed = parse(client, "I wish for poison", "ann")
    assert nlu.texts == ["I wish for poison"]
    grice = parsed["grice"]
    assert (grice["decision"], grice["reason"], grice["label"]) == ("pass", "failed", None)
    assert [failure["stage"] for failure in grice["failures"]] == ["directness"]
    assert len(client.get("/v1/dialogues/ann").json()["turns"]) == 1


def test_a_full_queue_forwards_the_original(nlu: PlainNlu) -> None:
    pipeline = fake_pipeline(PipelineSettings(deadline_ms=60_000))
    gate = pipeline.directness.gate  # type: ignore[attr-defined]
    gate.clear()
    with service(nlu.url, pipeline, queue_size=64, batch_size=1) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(client.post, "/v1/turns", json={"text": "a"})
        eventually(lambda: pipeline.directness.batches != [])  # type: ignore[attr-defined]
        waiting = pool.submit(client.post, "/v1/turns", json={"items": [{"text": "b"}] * 64})
        eventually(lambda: 'grice_queue_depth{model="turns"} 64.0' in client.get("/metrics").text)
        grice = parse(client, WISH)["grice"]
        gate.set()
        assert (grice["reason"], [failure["error"] for failure in grice["failures"]]) == ("failed", ["Overloaded"])
        assert nlu.texts == [WISH]
        assert (first.result().status_code, waiting.result().status_code) == (200, 200)
        assert parse(client, WISH)["grice"]["decision"] == "rewrite"


def test_a_store_that_is_down_does_not_stop_the_turn(nlu: PlainNlu, redis_server: RedisServer) -> None:
    with service(nlu.url, store="redis", redis_url=redis_server.url) as client:
        redis_server.kill()
        parsed = parse(client, WISH, "ann")
        assert nlu.texts == [REWRITTEN]
        assert {failure["stage"] for failure in parsed["grice"]["failures"]} == {"store"}
        redis_server.start()
        # The broker's event comes later, and the turn is kept then.
        said = {"event_id": parsed["grice"]["event_id"], "dialogue_id": "ann", "speaker": "user", "text": WISH, "timestamp": 1.0}
        assert client.post("/v1/events", json=said).json()["kept"] is True


def only(text: str, bad: Answer) -> Answer:
    """Fails unless asked for `text`."""
    return lambda asked: (200, json.dumps(parse_data(asked)).encode()) if asked == text else bad(asked)


BAD_ANSWERS: list[Answer] = [
    lambda text: (500, b'{"status": "failure"}'),
    lambda text: (200, b"no json"),
    lambda text: (200, b"[]"),
    lambda text: (200, b'{"text": "no intent"}'),
    lambda text: (200, b'{"intent": {"name": "a"}, "entities": null}'),
    lambda text: (409, b"{}"),
]


@pytest.mark.parametrize("bad", BAD_ANSWERS)
def test_a_server_that_fails_on_the_rewrite_is_asked_for_the_original(nlu: PlainNlu, client: httpx.Client, bad: Answer) -> None:
    nlu.answer = only(WISH, bad)
    parsed = parse(client, WISH, "ann")
    assert nlu.texts == [REWRITTEN, WISH]
    grice = parsed["grice"]
    assert {key: value for key, value in parsed.items() if key != "grice"} == parse_data(WISH)
    assert (grice["decision"], grice["reason"], grice["text"]) == ("pass", "failed", WISH)
    assert [(failure["stage"], failure["error"]) for failure in grice["failures"]] == [("nlu", "NluError")]
    assert 'grice_stage_failures_total{error="NluError",stage="nlu"} 1.0' in client.get("/metrics").text


@pytest.mark.parametrize("bad", BAD_ANSWERS)
def test_a_server_that_fails_twice_is_a_problem(nlu: PlainNlu, client: httpx.Client, bad: Answer) -> None:
    nlu.answer = bad
    found = parse(client, WISH, "ann", status=502)
    assert found["type"] == "urn:grice:problem:nlu-failed"
    assert "the NLU server answered" in found["detail"]
    assert nlu.texts == [REWRITTEN, WISH]
    assert client.get("/v1/dialogues/ann").status_code == 404


def test_a_server_that_is_late(nlu: PlainNlu) -> None:
    with service(nlu.url, nlu_timeout_ms=100) as client:
        nlu.answer = slow(2)
        found = parse(client, "Book it.", status=504)
    assert found["type"] == "urn:grice:problem:nlu-late"
    assert "100 ms (setting nlu_timeout_ms)" in found["detail"]


def test_a_server_that_goes_and_comes_back(nlu: PlainNlu) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with service(f"http://127.0.0.1:{port}/") as client:
        found = parse(client, WISH, "ann", status=502)
        assert "cannot be reached: ConnectError; is nlu_url right" in found["detail"]
        for _ in range(2):
            with nlu_server(port) as again:
                assert parse(client, WISH, "ann")["intent"]["name"] == "book"
                assert len(again.texts) == 1


def test_the_token_of_the_server_is_sent_and_not_logged(nlu: PlainNlu, capfd: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    log_json_lines()
    try:
        with service(nlu.url, nlu_token="hidden&token") as client:
            parse(client, WISH)
            parse(client, "/restart")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    assert nlu.tokens == ["hidden&token"] * 2
    logged = capfd.readouterr().err
    assert '"route": "/model/parse"' in logged
    assert "hidden" not in logged
    assert "Thai" not in logged


def test_without_a_server_the_setting_is_named() -> None:
    with serving(create_app(fakes())) as client:
        found = parse(client, WISH, status=501)
    assert "--nlu-url" in found["detail"]
    assert "GRICE_NLU_URL" in found["detail"]


def test_api_keys_come_in_the_body_or_the_header(nlu: PlainNlu) -> None:
    with service(nlu.url, api_keys=("first-key-of-two", "la-deuxième-clé-ici")) as client:
        for token in (None, "", "third", "first-key-of-two "):
            assert parse(client, WISH, status=401, token=token)["type"] == "urn:grice:problem:unauthorized"
        assert nlu.texts == []
        for token in ("first-key-of-two", "la-deuxième-clé-ici"):
            parse(client, WISH, token=token)
        headers = {"authorization": "Bearer first-key-of-two"}
        assert client.post("/model/parse", json={"text": WISH}, headers=headers).status_code == 200
        assert (
            client.post("/model/parse", json={"text": WISH}, headers={"authorization": "Basic first-key-of-two"}).status_code == 401
        )


@pytest.mark.parametrize("body", ["{", "[]", "{}", '{"text": 3}', '{"text": "\\ud800"}', '{"text": "a", "message_id": 3}'])
def test_bodies_that_rasa_does_not_send(client: httpx.Client, body: str) -> None:
    response = client.post("/model/parse", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"


def test_other_fields_are_left_alone(client: httpx.Client) -> None:
    assert parse(client, WISH, metadata={"a": 1})["text"] == WISH
