"""One suite over every capability that is registered: what each route does, whatever it finds. And the toy of the recipe."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fake_models import READS, Calls, all_fakes
from hypothesis import given, settings
from hypothesis import strategies as st
from live_service import RedisServer, eventually, serving
from loudness import LOUDNESS, Ear

from grice.middleware.capabilities import CAPABILITIES
from grice.middleware.events.event import DialogueEvent
from grice.middleware.service.capabilities.route import examples_of
from grice.middleware.service.http.app import create_app
from grice.middleware.settings import ServiceSettings
from grice.models.minds.recommendation_dialogue import RecommendationDialogue

NAMES = [*(each.name for each in CAPABILITIES), LOUDNESS.name]
KEEPING = ("turns", "responses")
"""Capabilities that keep the turn in its dialogue."""
OWN_FAILURES = ("turns", "responses", "slots", "meaning")
"""Capabilities that answer with the failure of a model; of the others the request fails."""
JSON = {"content-type": "application/json"}


class GatedEar(Ear, Calls):
    """The toy, held back by a gate, and failing on poison."""

    def predict(self, asked: Any) -> Any:
        self.enter([each.dialogue for each in asked])
        return super().predict(asked)


def models() -> dict[str, Any]:
    return {**all_fakes(), LOUDNESS.name: GatedEar()}


def calls(loaded: dict[str, Any], name: str) -> Calls:
    """The fake behind a capability that records what it is asked."""
    parts = {
        "turns": lambda: loaded["turns"].directness,
        "rewrite": lambda: loaded["rewrite"].direct,
        "responses": lambda: loaded["responses"].model,
        "slots": lambda: loaded["slots"].resolver,
        "meaning": lambda: loaded["meaning"].reader,
    }
    found = parts.get(name, lambda: loaded[name])()
    assert isinstance(found, Calls)
    return found


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    with CAPABILITIES.adding(LOUDNESS):
        yield


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(create_app(models(), ServiceSettings(max_turns=600))) as client:
        yield client


def more(name: str) -> dict[str, Any]:
    """What an item needs beside a text, as the examples of the documentation say."""
    if name == LOUDNESS.name:
        return {}
    example = examples_of(name)["requests"].get("conversation", {"value": {}})["value"]
    return {key: value for key, value in example.items() if key not in ("text", "turns", "dialogue_id")}


def speaker(name: str) -> str:
    """Who says the turn that is looked at."""
    return "bot" if name == "responses" else "user"


def item(name: str, text: str = "Cheap, please.", **given: Any) -> dict[str, Any]:
    return {**more(name), **({} if "turns" in given else {"text": text}), **given}


def post(client: httpx.Client, name: str, body: object) -> dict[str, Any]:
    response = client.post(f"/v1/{name}", json=body)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    answer: dict[str, Any] = response.json()
    assert answer.pop("schema_version") == 1
    return answer


def problem(response: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json"), response.text
    found: dict[str, Any] = response.json()
    assert set(found) == {"type", "title", "status", "detail", "instance", "errors", "request_id"}
    assert (found["status"], found["type"]) == (status, f"urn:grice:problem:{kind}")
    assert found["request_id"] == response.headers["x-request-id"]
    return found


def pointers(response: httpx.Response) -> set[str]:
    return {error["pointer"] for error in problem(response, 422, "invalid-request")["errors"]}


def posted(client: httpx.Client, name: str, body: bytes) -> httpx.Response:
    return client.post(f"/v1/{name}", content=body, headers=JSON)


def failures(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(failure["stage"], failure["error"]) for failure in answer["failures"]]


def without_names(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the name that a response gets where the caller gave none."""
    return {key: value for key, value in row.items() if key != "event_id"}


@pytest.mark.parametrize("name", NAMES)
def test_several_are_answered_in_order_and_as_each_alone(client: httpx.Client, name: str) -> None:
    items = [item(name, text) for text in ("Cheap!", "WHAT? I wish hpos-.", "South, that is Red.", "dear") * 16]
    rows = post(client, name, {"items": items})["items"]
    alone = [without_names(post(client, name, each)) for each in items[:4]]
    assert [without_names(row) for row in rows] == alone * 16


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_is_read_as_far_as_the_model_reads(client: httpx.Client, name: str) -> None:
    other = {"user": "bot", "bot": "user"}[speaker(name)]
    turns = [{"speaker": other, "text": "Which one?"}] * 50 + [{"speaker": speaker(name), "text": "I wish it were cheap."}]
    answer = post(client, name, item(name, turns=turns))
    found = answer.get("directness") or answer
    if "history_read" in found:
        assert found["history_read"] + found["history_cut"] == 50
        assert found["history_read"] == (50 if name == "mind" else READS)
    assert answer["failures"] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_dialogue_is_read_and_kept_only_where_that_is_said(client: httpx.Client, name: str) -> None:
    client.post("/v1/turns", json={"dialogue_id": f"kept-{name}", "bot": "That is cheap.", "text": "Hello."})
    answer = post(client, name, item(name, dialogue_id=f"kept-{name}"))
    found = answer.get("directness") or answer
    assert found.get("history_read", 2) == 2
    kept = client.get(f"/v1/dialogues/kept-{name}").json()["turns"]
    assert len(kept) == 2 + (name in KEEPING)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "image/json", "nonsense", ""])
def test_bodies_of_other_types(client: httpx.Client, name: str, kind: str) -> None:
    response = client.post(f"/v1/{name}", content=b'{"text": "Hello."}', headers={"content-type": kind})
    assert "application/json" in problem(response, 415, "not-json")["detail"]


@pytest.mark.parametrize("name", NAMES)
def test_malformed_json(client: httpx.Client, name: str) -> None:
    for body in (b"{", b"text", b'{"text": "a"', b'{"text": "a\nb"}', b'{"text": "\xff"}', b"\xff\xfe", b"[" * 100_000):
        problem(posted(client, name, body), 422, "malformed-json")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ("", "#"),
        ("null", "#"),
        ("[]", "#"),
        ("3", "#"),
        ('"text"', "#"),
        ("NaN", "#"),
        ("{}", "#"),
        ('{"text": NaN}', "#/text"),
        ('{"text": 3}', "#/text"),
        ('{"text": ["a"]}', "#/text"),
        ('{"text": ""}', "#/text"),
        ('{"text": " \\n\\t\\u200b"}', "#/text"),
        ('{"text": "\\ud800"}', "#/text"),
        ('{"text": "a\\udc00b"}', "#/text"),
        ('{"text": "a", "texts": "b"}', "#/texts"),
        ('{"text": "a", "\\ud800": "b"}', "#"),
        ('{"text": "a", "a/b~c": "b"}', "#/a~1b~0c"),
        ('{"text": "a", "turns": [{"speaker": "SPEAKER", "text": "b"}]}', "#"),
        ('{"turns": []}', "#/turns"),
        ('{"turns": {"speaker": "user", "text": "b"}}', "#/turns"),
        ('{"turns": [{"speaker": "nobody", "text": "b"}]}', "#/turns/0/speaker"),
        ('{"turns": [{"speaker": "user", "text": "b", "time": 1}]}', "#/turns/0/time"),
        ('{"turns": [{"speaker": "user", "text": ""}, {"speaker": "SPEAKER", "text": "b"}]}', "#/turns/0/text"),
        ('{"turns": [{"speaker": "SPEAKER", "text": "a"}], "dialogue_id": "x"}', "#"),
        ('{"text": "a", "dialogue_id": ""}', "#/dialogue_id"),
        ('{"text": "a", "dialogue_id": "a b"}', "#/dialogue_id"),
        ('{"text": "a", "dialogue_id": "a/b"}', "#/dialogue_id"),
        ('{"text": "a", "dialogue_id": ".."}', "#/dialogue_id"),
        ('{"text": "a", "dialogue_id": 7}', "#/dialogue_id"),
        ('{"items": []}', "#/items"),
        ('{"items": {}}', "#/items"),
        ('{"items": [3]}', "#/items/0"),
        ('{"items": [{"text": "a"}], "text": "b"}', "#/text"),
        ('{"items": [{"text": "a"}, {"items": []}]}', "#/items/1/items"),
        (json.dumps({"items": [{"text": "a"}] * 65}), "#/items"),
        (json.dumps({"text": "x" * 10_001}), "#/text"),
    ],
)
def test_unusable_values(client: httpx.Client, name: str, body: str, pointer: str) -> None:
    fields = json.dumps(more(name))[1:-1]
    whole = body.replace("SPEAKER", speaker(name))
    if whole.startswith('{"t') and fields:  # the fields that an item must have, so that only one thing is wrong
        whole = f"{whole[:-1]}, {fields}}}"
    elif whole == "{}":
        whole = f"{{{fields}}}"
    response = posted(client, name, whole.encode())
    assert pointer in pointers(response)
    assert len(response.content) < 2000


BOT, USER = {"speaker": "bot", "text": "Have you been?"}, {"speaker": "user", "text": "Yes, and I liked it."}
MENU = {"intents": [{"name": "book_table"}]}
PRICE = {"name": "price", "description": "What it costs", "values": ["cheap", "dear"]}


@pytest.mark.parametrize(
    ("name", "body", "pointer", "detail"),
    [
        ("directness", {"text": "\ud800"}, "#/text", "lone surrogates"),
        ("directness", {"text": "x" * 10_001}, "#/text", "10000 characters"),
        ("directness", {"turns": [USER, BOT]}, "#", "the last of turns must be the user's"),
        ("turns", {"text": "a", "mode": "both"}, "#/mode", "'replace' or 'append'"),
        ("turns", {"text": "a", "bot": 3}, "#/bot", "valid list"),
        ("turns", {"text": "a", "bot": ""}, "#/bot/0", "at least 1 character"),
        ("turns", {"text": "a", "bot": ["b", " "]}, "#/bot/1", "printable"),
        ("turns", {"text": "a", "bot": ["b"] * 17}, "#/bot", "at most 16 items"),
        ("turns", {"turns": [USER], "bot": "b"}, "#", "give bot with text only"),
        ("turns", {"text": "a", "form": "direct"}, "#/form", "not permitted"),
        ("rewrite", {"text": "a", "form": "rude"}, "#/form", "'direct' or 'indirect'"),
        ("responses", {"turns": [BOT, USER]}, "#", "the last of turns must be the bot's"),
        ("responses", {"text": "Hello.", "event_id": ""}, "#/event_id", "at least 1 character"),
        ("responses", {"text": "Hello.", "counted": "no"}, "#/counted", "valid boolean"),
        ("responses", {"text": "Hello.", "speaker": "bot"}, "#/speaker", "not permitted"),
        ("slots", {"text": "a", "slots": [{**PRICE, "values": []}]}, "#", "values of slot price: got '0 values'; allowed: 2 to 64"),
        ("slots", {"text": "a", "slots": [{**PRICE, "values": ["a"] * 2}]}, "#", "got ('a', 'a'); allowed: each value once"),
        ("slots", {"items": [{"text": "a", "slots": [PRICE]}, {"text": "b", "slots": []}]}, "#/items/1/slots", "at least 1 item"),
        ("slots", {"text": "a", "slots": [{**PRICE, "values": ["cheap", " "]}]}, "#", "value of slot price: got ' '; allowed: "),
        ("slots", {"text": "a", "slots": [PRICE, PRICE]}, "#", "slots: got ['price', 'price']; allowed: each name once"),
        ("slots", {"text": "a", "slots": [{**PRICE, "name": f"{each}"} for each in range(17)]}, "#/slots", "at most 16 items"),
        ("slots", {"text": "a"}, "#/slots", "Field required"),
        ("slots", {"text": "a", "slots": [{**PRICE, "values": ["cheap", 5]}]}, "#/slots/0/values/1", "valid string"),
        ("slots", {"text": "a", "slots": [{**PRICE, "colour": "red"}]}, "#/slots/0/colour", "not permitted"),
        (
            "meaning",
            {"text": "a"},
            "#",
            "give schema, what the bot can understand, or schema_id, the name of one that PUT /v1/schemas/",
        ),
        ("meaning", {"text": "a", "schema": MENU, "schema_id": "x"}, "#", "give at most one of schema and schema_id"),
        ("meaning", {"items": [{"text": "a", "schema": MENU}, {"text": "b"}]}, "#/items/1", "give schema, "),
        ("meaning", {"text": "a", "schema": {**MENU, "acts": []}}, "#/schema/acts", "not permitted"),
        (
            "meaning",
            {"text": "a", "schema": {"slots": {"area": {"values": ["x", ""]}}}},
            "#/schema/slots/area/values/1",
            "at least 1",
        ),
        ("meaning", {"text": "a", "schema_id": "a b"}, "#/schema_id", "match pattern"),
        ("intentions", {"text": "a", "user_role": "seller"}, "#/user_role", "'persuader' or 'persuadee'"),
        ("intentions", {"text": "a", "speaker": "system"}, "#/speaker", "'user' or 'bot'"),
        ("mind", {"text": "a", "seeker": "both"}, "#/seeker", "'user' or 'bot'"),
        ("mind", {"text": "a", "about": ["Grey Dust", "Grey Dust"]}, "#", "each once"),
        ("mind", {"text": "a", "about": [" "]}, "#/about/0", "printable"),
        ("mind", {"text": "a", "about": [f"Film {number}" for number in range(33)]}, "#/about", "at most 32 items"),
        ("loudness", {"text": "a", "shout_from": 2}, "#/shout_from", "less than or equal to 1"),
    ],
)
def test_what_only_one_refuses(client: httpx.Client, name: str, body: dict[str, Any], pointer: str, detail: str) -> None:
    found = problem(posted(client, name, json.dumps(body).encode()), 422, "invalid-request")
    (error,) = found["errors"]
    assert (error["pointer"], detail in error["detail"]) == (pointer, True), error


@pytest.mark.parametrize("name", NAMES)
def test_many_errors_are_counted_not_listed(client: httpx.Client, name: str) -> None:
    response = client.post(f"/v1/{name}", json=item(name) | {f"field {number}": 0 for number in range(1000)})
    found = problem(response, 422, "invalid-request")
    assert (len(found["errors"]), "1000 errors" in found["detail"]) == (20, True)


@pytest.mark.parametrize("name", NAMES)
def test_a_full_queue(name: str) -> None:
    loaded = models()
    held = calls(loaded, name)
    held.gate.clear()
    app = create_app(loaded, ServiceSettings(queue_size=64, batch_size=1))
    (queue, *_) = app.state.engine.routes[name].queues
    with serving(app) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(post, client, name, item(name))
        eventually(lambda: held.batches != [])
        waiting = pool.submit(post, client, name, {"items": [item(name)] * 64})
        eventually(lambda: f'grice_queue_depth{{model="{queue}"}} 64.0' in client.get("/metrics").text)
        response = client.post(f"/v1/{name}", json=item(name))
        problem(response, 429, "overloaded")
        assert int(response.headers["retry-after"]) >= 1
        held.gate.set()
        assert (first.result()["failures"], len(waiting.result()["items"])) == ([], 64)
        metrics = client.get("/metrics").text
    assert f'grice_rejections_total{{model="{queue}"}} 1.0' in metrics
    assert f'grice_batch_size_sum{{model="{queue}"}} 65.0' in metrics


@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_fails_on_one_of_several(client: httpx.Client, name: str) -> None:
    items = [item(name, "Cheap!"), item(name, "I wish for poison, secretly."), item(name, "dear")]
    response = client.post(f"/v1/{name}", json={"items": items})
    if name not in OWN_FAILURES:
        problem(response, 500, "internal")
        assert "secretly" not in response.text
        assert post(client, name, items[0])["failures"] == []
        return
    rows = response.json()["items"]
    assert [bool(row["failures"]) for row in rows] == [False, True, False]
    assert {error for _, error in failures(rows[1])} == {"RuntimeError"}


@pytest.mark.parametrize("name", NAMES)
def test_one_that_is_not_loaded_says_so_and_the_others_answer(name: str) -> None:
    capability = CAPABILITIES[name]
    loaded = {each: model for each, model in models().items() if each != name}
    with serving(create_app(loaded)) as client:
        found = problem(client.post(f"/v1/{name}", json=item(name)), 501, f"no-{capability.switch or name}")
        assert found["detail"].startswith(f"No {capability.title} is loaded here: start the service without --no-")
        known = {model["role"] for model in client.get("/v1/models").json()["models"]}
        assert known == {role for each in CAPABILITIES if each.name != name for role in each.roles}
        assert set(client.get("/health/ready").json()["providers"]) == known
        assert client.post("/v1/loudness" if name != "loudness" else "/v1/slots", json=item("slots")).status_code in (200, 422)


@pytest.mark.parametrize("name", NAMES)
def test_every_model_is_named_with_its_provider(client: httpx.Client, name: str) -> None:
    listed = {model["role"]: model for model in client.get("/v1/models").json()["models"]}
    ready = client.get("/health/ready").json()["providers"]
    for role in CAPABILITIES[name].roles:
        assert listed[role]["provider"] == ready[role]
        assert listed[role]["name"] == ("GatedEar" if name == "loudness" else listed[role]["name"])
    assert list(listed) == list(ready)


@pytest.mark.parametrize("path", ["/v1/turns", "/v1/responses"])
def test_one_dialogue_twice_in_a_request(client: httpx.Client, path: str) -> None:
    response = client.post(path, json={"items": [{"text": "a", "dialogue_id": "twice"}] * 2})
    assert "one turn of a dialogue in a request" in problem(response, 422, "invalid-value")["detail"]
    assert client.get("/v1/dialogues/twice").status_code == 404


def test_a_store_that_is_down_is_told_and_stops_nobody(redis_server: RedisServer) -> None:
    app = create_app(models(), ServiceSettings(store="redis", redis_url=redis_server.url))
    with serving(app) as client:
        redis_server.kill()
        for name in NAMES:
            own: dict[str, Any] = {"counted": False} if name == "responses" else {}  # the rates are away too
            rows = post(client, name, {"items": [item(name, dialogue_id="d"), item(name, **own)]})["items"]
            assert [set(failures(row)) for row in rows] == [{("store", "StoreError")}, set()], name
        assert 'grice_stage_failures_total{error="StoreError",stage="store"}' in client.get("/metrics").text
        redis_server.start()
        for name in NAMES:
            assert post(client, name, item(name, dialogue_id=name))["failures"] == []


@pytest.mark.parametrize(("path", "checked"), [("/v1/events", DialogueEvent), ("/v1/mind", RecommendationDialogue)])
def test_a_body_is_read_while_others_are_answered(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, path: str, checked: type[Any]
) -> None:
    entered, leave = threading.Event(), threading.Event()
    check = checked.__post_init__

    def slowly(self: Any) -> None:
        entered.set()
        assert leave.wait(30)
        check(self)

    monkeypatch.setattr(checked, "__post_init__", slowly)
    body = {"items": examples_of(path.rpartition("/")[2])["requests"]["batch"]["value"]["items"] * 30}
    body = {**body, "items": [{**each, "text": "a" * 1000} for each in body["items"]]}
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(client.post, path, json=body)
        assert entered.wait(30)
        try:
            assert httpx.get(f"{client.base_url}/health/live", trust_env=False, timeout=10).status_code == 200
        finally:
            leave.set()
        assert slow.result().status_code == 200


FIELDS = [
    "text",
    "turns",
    "items",
    "schema",
    "schema_id",
    "speaker",
    "dialogue_id",
    "bot",
    "mode",
    "form",
    "slots",
    "about",
    "seeker",
    "event_id",
    "x",
]
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["user", "bot", "append", "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(NAMES), json_values.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40))
def test_no_body_breaks_the_service(client: httpx.Client, name: str, body: bytes) -> None:
    response = posted(client, name, body)
    if response.status_code != 200:
        problem(response, 422, response.json()["type"].rpartition(":")[2])
